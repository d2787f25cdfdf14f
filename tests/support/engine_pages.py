"""Reference pages of the invented engine, in the form of creator-docs."""

from __future__ import annotations

BOAT = """\
name: Boat
type: class
summary: |
  Floats, and carries `Class.Thing|Things`.
description: |
  A hull that the `Enum.Wind` moves. See [Sailing](../../../sailing.md).
code_samples:
  - boat-race
inherits:
  - Thing
tags: []
deprecation_message: ''
properties:
  - name: Boat.TopSpeed
    summary: |
      How fast it may go.
    description: |
      How fast it may go.

      Set it before `Class.Boat:SailTo()|SailTo()`
      is called; `Class.Thing.Name|Name` does not matter.
    code_samples: []
    type: float
    tags: []
    deprecation_message: ''
methods:
  - name: Boat:SailTo
    summary: |
      Sails to another place.
    description: |
      ```lua
      boat:SailTo(pier)
      ```
    code_samples: []
    parameters:
      - name: harbour
        type: Thing
        default:
        summary: |
          Where the journey ends.
      - name: slowly
        type: boolean
        default: False
        summary: |
          Whether to take in sail.
    returns:
      - type: List<Thing>
        summary: |
          What was met on the way.
    tags:
      - Yields
    deprecation_message: ''
  - name: Boat:Anchor
    summary: |
      Holds it; told by the reference alone.
    description: ''
    parameters: []
    returns: []
    tags: []
    deprecation_message: ''
events: []
callbacks: []
"""

WIND = """\
name: Wind
type: enum
summary: |
  How hard it blows. Measured at sea.
description: ''
code_samples: []
tags: []
deprecation_message: ''
items:
  - name: Calm
    summary: |
      Smoke rises straight up.
    value: 0
    tags: []
    deprecation_message: ''
  - name: Gale
    summary: ''
    value: 8
    tags:
      - Deprecated
    deprecation_message: |
      This value is deprecated; use `Enum.Wind.FreshBreeze`.
  - name: Storm
    summary: |
      Not in the dump yet.
    value: 10
    tags: []
    deprecation_message: ''
"""

KNOT = """\
name: Knot
type: datatype
summary: |
  A speed at sea.
description: |
  One nautical mile an hour.
code_samples: []
tags: []
deprecation_message: ''
constructors:
  - name: Knot.new
    summary: |
      A knot of nothing.
    description: ''
    parameters: []
    code_samples: []
    tags: []
    deprecation_message: ''
  - name: Knot.new
    summary: |
      So many knots.
    description: ''
    parameters:
      - name: count
        type: number
        default: 1
        summary: |
          How many.
    code_samples: []
    tags: []
    deprecation_message: ''
constants:
  - name: Knot.zero
    type: Knot
    summary: |
      No speed at all.
    description: ''
    code_samples: []
    tags: []
    deprecation_message: ''
properties:
  - name: Knot.zero
    type: Knot
    summary: |
      No speed at all.
    description: ''
    default:
    code_samples: []
    tags: []
    deprecation_message: ''
methods:
  - name: Knot:Double
    summary: |
      Twice as fast.
    description: ''
    parameters: []
    returns:
      - type: Knot
        summary: ''
    code_samples: []
    tags: []
    deprecation_message: ''
functions: []
math_operations:
  - name: +
    operation: +
    summary: |
      Adds two speeds.
    description: ''
    type_a: Knot
    type_b: Knot
    return_type: Knot
    code_samples: []
    tags: []
    deprecation_message: ''
"""

TIDE = """\
name: tide
type: library
summary: |
  Tells the tides.
description: ''
tags: []
code_samples: []
properties: []
functions:
  - name: tide.next
    summary: |
      When the water is high again.
    description: ''
    parameters: []
    returns:
      - type: number
        summary: |
          Seconds from now.
    tags: []
    code_samples: []
    deprecation_message: ''
"""

GLOBALS = """\
name: Sea globals
type: global
summary: |
  Known everywhere.
description: ''
tags: []
code_samples: []
properties: []
functions:
  - name: hoist
    summary: |
      Raises the sails.
    description: ''
    parameters: []
    returns: []
    tags:
      - Deprecated
    code_samples: []
    deprecation_message: ''
"""

PAGES = {
    "classes/Boat": BOAT,
    "enums/Wind": WIND,
    "enums/Sails": WIND.replace("name: Wind", "name: Sails").replace("Enum.Wind", "Enum.Sails"),
    "datatypes/Knot": KNOT,
    "libraries/tide": TIDE,
    "globals/SeaGlobals": GLOBALS,
}
