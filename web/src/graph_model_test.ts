import { describe, expect, it } from "vitest";
import { graphSample } from "../tests/graph_sample";
import { nodeScene, quotientScene, settle } from "./graph_layout";
import { cohesion, findNames, graphModelOf, isAside, membersOf } from "./graph_model";

describe("the model of a graph", () => {
  const model = graphModelOf(graphSample({ communities: 4, size: 6, aside: 2 }));

  it("knows the nodes of each community", () => {
    expect(membersOf(model, 0)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(membersOf(model, 3)).toEqual([18, 19, 20, 21, 22, 23]);
    expect(isAside(model, 23)).toBe(false);
    expect(isAside(model, 24)).toBe(true);
  });

  it("lists each edge at both of its ends", () => {
    const ends = model.neighbours!.reduce((sum, list) => sum + list.length, 0);
    expect(ends).toBe(2 * model.data.edges!.inside);
    model.neighbours!.forEach((list, node) => list.forEach((other) => expect(model.neighbours![other]).toContain(node)));
  });

  it("finds names, whole ones first", () => {
    expect(findNames(model, "person 1.2", 10).nodes).toEqual([8]);
    expect(findNames(model, "STRANGER", 10).nodes).toEqual([24, 25]);
    expect(findNames(model, "1.0 person", 10).communities).toEqual([1]);
    expect(findNames(model, "  ", 10)).toEqual({ communities: [], nodes: [] });
    expect(findNames(model, "person", 3).nodes).toHaveLength(3);
  });

  it("measures what stays inside", () => {
    expect(cohesion(model.data.communities[0]!)).toBeCloseTo(60 / 62);
    expect(cohesion({ ...model.data.communities[0]!, inside: 0, leaving: 0 })).toBe(0);
  });

  it("stands a community without nodes", () => {
    const data = graphSample({ communities: 3, size: 4 });
    data.communities.push({ ...data.communities[0]!, id: "3", size: 0, central: [], neighbours: [] });
    expect(membersOf(graphModelOf(data), 3)).toEqual([]);
  });
});

describe("the layout of a graph", () => {
  it("brings the nodes of a community together", () => {
    const model = graphModelOf(graphSample({ communities: 5, size: 12, aside: 1 }));
    const scene = nodeScene(model);
    settle(scene);
    expect(scene.ticks).toBe(0);
    const middle = (c: number) => {
      const own = membersOf(model, c).map((node) => scene.places[node]!);
      return [own.reduce((sum, p) => sum + p.x, 0) / own.length, own.reduce((sum, p) => sum + p.y, 0) / own.length];
    };
    const middles = model.data.communities.map((_, c) => middle(c));
    scene.places.forEach((place, node) => {
      if (place.group < 0) return;
      const distances = middles.map(([x, y]) => Math.hypot(place.x - x!, place.y - y!));
      expect(distances.indexOf(Math.min(...distances)), `node ${node}`).toBe(place.group);
    });
  });

  it("is the same at every visit", () => {
    const places = [0, 1].map(() => {
      const scene = nodeScene(graphModelOf(graphSample()));
      settle(scene);
      return scene.places.map(({ x, y }) => [x, y]);
    });
    expect(places[0]).toEqual(places[1]);
  });

  it("draws large graphs as their communities, larger ones larger and none above another", () => {
    const data = graphSample({ communities: 6, size: 9, drawn: false });
    data.communities[2]!.size = 50;
    const scene = quotientScene(graphModelOf(data));
    settle(scene);
    expect(scene.places[2]!.r).toBeGreaterThan(scene.places[0]!.r);
    expect(scene.lines).toHaveLength(6);
    scene.places.forEach((a, i) =>
      scene.places.slice(i + 1).forEach((b) => expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(a.r + b.r)),
    );
  });

  it("stands one community and no edges between any", () => {
    for (const options of [{ communities: 1, size: 3 }, { communities: 1, size: 1, drawn: false }]) {
      const scene = quotientScene(graphModelOf(graphSample(options)));
      settle(scene);
      expect(Number.isFinite(scene.places[0]!.x)).toBe(true);
    }
  });
});
