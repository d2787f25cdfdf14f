"""What the peers share: the model as Quire exports it, reciprocal-rank fusion, and the parts printed as JSON."""

import json
import sys
import time


class Clock:
    """Marks the parts of a start, in order."""

    def __init__(self):
        self.parts = {}
        self.last = time.perf_counter()

    def mark(self, part):
        now = time.perf_counter()
        self.parts[part] = (now - self.last) * 1000
        self.last = now

    def tell(self):
        print(json.dumps({**self.parts, "cpu": time.process_time() * 1000}), flush=True)


def open_model(folder):
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def embed(text):
        import numpy as np

        ids = np.array([tokenizer.encode(text).ids], np.int64)
        known = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {one.name: known.get(one.name, ids) for one in session.get_inputs()}
        types = {one.name: np.int32 if "int32" in one.type else np.int64 for one in session.get_inputs()}
        return session.run(None, {name: value.astype(types[name]) for name, value in wanted.items()})[
            0
        ].reshape(-1)

    return embed


def fuse(*rankings):
    scores = {}
    for ranking in rankings:
        for place, name in enumerate(ranking, 1):
            scores[name] = scores.get(name, 0) + 1 / (60 + place)
    return sorted(scores, key=lambda name: -scores[name])[:10]


def read(folder):
    import numpy as np

    with open(f"{folder}/texts.json", encoding="utf-8") as file:
        return np.load(f"{folder}/rows.npy"), json.load(file)


def arguments():
    return sys.argv[1], sys.argv[2:]
