from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.declarations import DECLARED, parse_declarations
from tests.support.outlines import assert_apart, sections

WORKFLOW = """\
name: shop
on:
  push:
    branches: [main]

env:
  LIMIT: 5

jobs:
  # Runs on every push.
  check:
    runs-on: linux
    steps:
      - uses: checkout
      - name: Weigh the basket
        run: |
          total: 5
          echo: done
  publish:
    needs: check
"""
MANIFESTS = """\
apiVersion: v1
kind: Service
metadata:
  name: basket
spec:
  ports: []
---
kind: Deployment
metadata:
  labels: {}
  name: basket-web
spec:
  replicas: 2
"""
MESSAGES = """\
syntax = "proto3";

// What a customer wants.
message Basket {
  string id = 1;  // not a message Note {
  message Item {
    int32 count = 1;
  }
  repeated Item items = 2;
}

enum State { OPEN = 0; PAID = 1; }

service Shop {
  rpc Pay(Basket)
      returns (State);
  rpc Watch (Basket) returns (stream State) {
    option (http) = { get: "/v1/{name=shops/*}" };
  }
}
"""
SCHEMA = '''\
"""
A basket; type Nothing { of it
"""
type Basket implements Node & Priced {
  id: ID!
  total(currency: String): Int
}

union Thing =
  | Basket
  | Item

scalar Date

extend type Query {
  # Of all customers.
  baskets(
    first: Int
    after: ID
  ): [Basket!]!
  basket(id: ID!): Basket
}

mutation PayBasket($id: ID!) {
  pay(id: $id) { id }
}
'''
STAGES = """\
# syntax=docker
ARG BASE=3
# Compiles the shop.
FROM --platform=linux golang:1 AS build
RUN make

FROM scratch
COPY --from=build /shop /shop
"""
TARGETS = """\
CC := gcc
.PHONY: all

# Builds everything.
all: shop.o \\
     basket.o
\tcc -o $@

%.o: %.c
clean distclean:
\trm -f *.o
"""
COMMANDS = """\
option(WITH_TESTS "Build the tests" ON)

# Adds a shelf.
function(add_shelf name)
  if(name)
    add_library(${name} STATIC
      shelf.c)
  endif()
endfunction()

add_executable(shop main.c)
"""
SETTINGS = """\
root = true
[shop]  # its name
limit = 5
[[shop.shelves]]
rows = [
  [1, 2],
]
["a b".c]
"""


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "yaml",
            WORKFLOW,
            [
                (0, "name", 1, 1),
                (0, "on", 2, 5),
                (1, "push", 3, 5),
                (0, "env", 6, 8),
                (0, "jobs", 9, 20),
                (1, "check", 10, 18),
                (2, "steps", 13, 18),
                (1, "publish", 19, 20),
            ],
        ),
        (
            "yaml",
            MANIFESTS,
            [
                (0, "Service.basket", 1, 6),
                (1, "apiVersion", 1, 1),
                (1, "kind", 2, 2),
                (1, "metadata", 3, 4),
                (1, "spec", 5, 6),
                (0, "Deployment.basket-web", 8, 13),
                (1, "kind", 8, 8),
                (1, "metadata", 9, 11),
                (1, "spec", 12, 13),
            ],
        ),
        (
            "yaml",
            "- name: Install the pump\n  apt: pump\n- debug: x\n- name: Start it\n  service:\n    state: on\n",
            [(0, "Install the pump", 1, 2), (0, "Start it", 4, 6), (1, "service", 5, 6)],
        ),
        (
            "protobuf",
            MESSAGES,
            [
                (0, "Basket", 3, 10),
                (1, "Item", 6, 8),
                (0, "State", 12, 12),
                (0, "Shop", 14, 20),
                (1, "Pay", 15, 16),
                (1, "Watch", 17, 19),
            ],
        ),
        (
            "graphql",
            SCHEMA,
            [
                (0, "Basket", 1, 7),
                (0, "Thing", 9, 11),
                (0, "Date", 13, 13),
                (0, "Query", 15, 22),
                (1, "baskets", 16, 20),
                (1, "basket", 21, 21),
                (0, "PayBasket", 24, 26),
            ],
        ),
        ("dockerfile", STAGES, [(0, "build", 3, 6), (0, "scratch", 7, 8)]),
        ("makefile", TARGETS, [(0, "all", 4, 9), (0, "clean", 10, 11)]),
        (
            "cmake",
            COMMANDS,
            [(0, "WITH_TESTS", 1, 1), (0, "add_shelf", 3, 9), (0, "shop", 11, 11)],
        ),
        ("toml", SETTINGS, [(0, "shop", 2, 3), (0, "shop.shelves", 4, 7), (0, 'a b".c', 8, 8)]),
        ("ini", "; all\n[shop]\nlimit = 5\n", [(0, "shop", 1, 3)]),
    ],
)
def test_what_a_file_declares_stands_on_its_lines(
    language: str, text: str, expected: list[tuple[int, str, int, int]]
) -> None:
    assert list(sections(parse_declarations(text, language).definitions)) == expected


def test_comments_and_descriptions_before_a_definition_document_it() -> None:
    [basket, *_] = parse_declarations(MESSAGES, "protobuf").definitions
    assert basket.doc == "What a customer wants."
    [described, *_] = parse_declarations(SCHEMA, "graphql").definitions
    assert described.doc.startswith("A basket")
    jobs = parse_declarations(WORKFLOW, "yaml").definitions[-1]
    assert jobs.members[0].doc == "Runs on every push."


def test_a_file_of_data_declares_nothing() -> None:
    assert parse_declarations("".join(f"word{n}: {n}\n" for n in range(500)), "yaml").definitions == ()


PIECES = st.sampled_from(
    [*"ab:-[] {}()=#\n\n\"'|/;", "message m ", "type Query", "function(", "FROM x", "kind: "]
)


@pytest.mark.parametrize("language", DECLARED)
@given(pieces=st.lists(PIECES, max_size=80))
def test_definitions_of_any_text_lie_in_the_file_and_in_one_another(language: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    assert_apart(parse_declarations(text, language).definitions, 1, len(text.split("\n")))
