"""Each collection as a model of the OpenAI chat protocol, so that its clients can ask it."""
