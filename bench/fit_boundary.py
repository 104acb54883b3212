"""Fits the logistic model of copse/image/boundary_cue.cpp to human boundaries.

    fit_boundary.py BSDS500/data/images/train BSDS500/data/groundTruth/train

Needs the program boundary_cues of the preset `bench`, SciPy and NumPy. A pixel's target is the share of people who drew a
boundary within 1.5 pixels of it, at the working size of 240 x 160. Its orientation is unknown: it is the one that the
model likes best, so fitting and choosing alternate. Prints the numbers to store, and the mean log loss.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import scipy.io
import scipy.ndimage
import scipy.optimize

PIXELS_PER_PICTURE = 1500
ROUNDS = 6


def share_of_people(path, shape):
    """How many of the people drew a boundary near each pixel of a picture scaled to `shape`; and who drew none near by."""
    truth = scipy.io.loadmat(path)["groundTruth"][0]
    near, wide = np.zeros(shape), np.zeros(shape)
    for person in truth:
        boundary = person["Boundaries"][0, 0] > 0
        y, x = np.nonzero(boundary)
        small = np.zeros(shape, bool)
        small[y * shape[0] // boundary.shape[0], x * shape[1] // boundary.shape[1]] = True
        distance = scipy.ndimage.distance_transform_edt(~small)
        near += distance <= 1.0
        wide += distance <= 3.0
    return near / len(truth), wide / len(truth)


def samples(image, truth, program, random):
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        subprocess.run([program, image, file.name], check=True)
        cues = np.load(file.name)
    near, wide = share_of_people(truth, cues.shape[:2])
    # On a boundary, or well away from all: what lies between says nothing.
    usable = np.nonzero(((near > 0) | (wide == 0)).ravel())[0]
    chosen = random.choice(usable, min(PIXELS_PER_PICTURE, len(usable)), replace=False)
    return cues.reshape(-1, *cues.shape[2:])[chosen], near.ravel()[chosen]


def fit(x, target, start):
    def loss(w):
        score = x @ w[1:] + w[0]
        value = np.mean(np.logaddexp(0, score) - target * score)
        slope = (1 / (1 + np.exp(-score)) - target) / len(target)
        return value, np.concatenate([[slope.sum()], x.T @ slope])
    # A cue that speaks against boundaries would be an accident of the other cues.
    bounds = [(None, None)] + [(0, None)] * x.shape[1]
    return scipy.optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", type=pathlib.Path)
    parser.add_argument("truth", type=pathlib.Path)
    parser.add_argument("--program", default="build/release/bench/paper/boundary_cues")
    parser.add_argument("--every", type=int, default=1, help="take every n-th picture")
    options = parser.parse_args()
    random = np.random.default_rng(0)
    pictures = sorted(options.images.glob("*.jpg"))[:: options.every]
    cues, target = zip(*(samples(p, options.truth / f"{p.stem}.mat", options.program, random) for p in pictures))
    cues, target = np.concatenate(cues).astype(float), np.concatenate(target)
    weights = np.concatenate([[-3.0], np.ones(cues.shape[2])])
    for _ in range(ROUNDS):
        best = np.argmax(cues @ weights[1:], axis=1)
        result = fit(cues[np.arange(len(cues)), best], target, weights)
        weights = result.x
        print(f"log loss {result.fun:.5f}, weights {np.round(weights, 3)}", flush=True)
    print(f"{len(pictures)} pictures, {len(target)} pixels")
    print(f"{{.bias = {weights[0]:.3f}, .weights = {{{', '.join(f'{w:.3f}' for w in weights[1:])}}}}}")


if __name__ == "__main__":
    main()
