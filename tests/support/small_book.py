"""A small book about robots in three chapters, in our own words, laid out as the textbook's repository is."""

from __future__ import annotations

from pathlib import Path

_PART = "01-part-1-foundations-lab"
ONE, TWO, THREE = (
    f"{_PART}/{name}"
    for name in ("01-chapter-1-embodied-ai", "02-chapter-2-hardware-setup", "03-chapter-3-architecture")
)
NODE = """import rclpy
from rclpy.node import Node

class Heartbeat(Node):
    def __init__(self):
        super().__init__("heartbeat")
        self.publisher = self.create_publisher(String, "heartbeat", 10)
"""
_CLAY = (
    "A wrist that turns a jar learns its weight from the torque that each joint reports to the loop above. "
)
_INTRODUCTION = """# Chapter 1: Embodied Intelligence

This chapter tells why intelligence needs a body, and what a body teaches that no text can.
"""
FILES = {
    f"{ONE}/00-intro.mdx": f"---\ntitle: Introduction\nsidebar_position: 1\n---\n\n{_INTRODUCTION}",
    f"{ONE}/index.mdx": f"---\ntitle: Overview\nslug: /one\n---\n\n{_INTRODUCTION}",
    f"{ONE}/01-digital-vs-physical-ai.mdx": f"""---
title: Digital and Physical AI
---

# Digital and Physical AI

## What embodied intelligence is

Embodied intelligence is intelligence that comes from having a body: a Physical AI learns what heavy means by the
torque in its joints, and not from a text about weights.

## The sensorimotor loop

The sensorimotor loop runs from sensors to perception, from perception to motor commands, and through the world back to
the sensors. It never ends, since every movement changes what is sensed.

{_CLAY * 18}

{_CLAY.replace("jar", "lid") * 18}
""",
    f"{TWO}/01-hardware-mandate.mdx": """# The Hardware Mandate

Consumer laptops fail at robotics. The Jetson Orin Nano is required since it runs the networks on the robot itself: a
camera image is understood in 28 ms, where a server far away answers after half a second.

## Why Intel RealSense D435i (Not OAK-D or ZED)?

- Its stereo depth works outdoors
- It has a gyroscope built in

The OAK-D lacks a gyroscope; the ZED needs a large graphics card in the robot.
""",
    f"{TWO}/03-edge-compute.mdx": """# The Jetson on the Robot

The NVIDIA Jetson Orin Nano is the computer of the edge tier in the three-tier architecture. It is used for perception
and motor control, while the workstation trains and the cloud plans.
""",
    f"{TWO}/04-sensor-stack.mdx": """# Sensor Stack

The Intel RealSense D435i is a depth camera. It sees colour and depth thirty times a second.

## Mounting

Screw the Intel RealSense D435i to the head of the robot, and plug it into a blue port.
""",
    f"{THREE}/01-three-tiers.mdx": """# Three Tiers

The three tiers of Physical AI work together: the cloud plans, the workstation trains, and the robot acts.
""",
    f"{THREE}/02-simulation.mdx": f"""# ROS 2 and Isaac Sim

ROS 2 connects to Isaac Sim through a bridge: enable the extension `ros2_bridge`, and topics of the simulation are
topics of ROS 2.

## A first node

This node publishes a heartbeat. Its constructor names the node `heartbeat` and makes a publisher with a queue of ten
messages.

```python
{NODE}```
""",
    f"{TWO}/05-bridge.md": """# The ROS 2 Bridge of the Workstation

The workstation installs ROS 2 and Isaac Sim side by side. Connect both by sourcing ROS 2 before Isaac Sim starts.
""",
}


def write_book(docs: Path) -> None:
    """Write the book's files below its docs folder."""
    for path, text in FILES.items():
        (docs / path).parent.mkdir(parents=True, exist_ok=True)
        (docs / path).write_text(text, encoding="utf-8")
