"""The textbook specification's embedding check: what every vector of this model is."""

import numpy as np

from quire.embedding.onnx import OnnxEmbedder


def test_embeddings_are_unit_rows_of_the_models_width(embedder: OnnxEmbedder) -> None:
    rows = embedder.embed(["A robot walks.", "A harbour shelters boats."])
    assert rows.shape == (2, embedder.dimensions) == (2, 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-5)


def test_related_sentences_are_nearer_than_unrelated_ones(embedder: OnnxEmbedder) -> None:
    robot, machine, soup = embedder.embed(["The robot walks", "A walking machine", "Lentil soup recipe"])
    assert robot @ machine > 0.5 > robot @ soup
