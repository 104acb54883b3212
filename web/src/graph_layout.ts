// Where nodes lie: forces pull neighbours together and push all apart; communities lie where their own graph puts them.
import {
  type Simulation,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
} from "d3-force";
import type { GraphModel } from "./graph_model";

export interface Place extends SimulationNodeDatum {
  x: number;
  y: number;
  r: number;
  group: number; // community; -1: none
}
export interface Line extends SimulationLinkDatum<Place> {
  source: Place;
  target: Place;
  weight: number; // 0 to 1
}
export interface Scene {
  places: Place[];
  lines: Line[];
  simulation: Simulation<Place, Line>;
  ticks: number; // that are still to come
}

const goldenAngle = Math.PI * (3 - Math.sqrt(5));

function spread(places: Place[], step: number) {
  for (const [i, place] of places.entries()) {
    const distance = step * Math.sqrt(i + 0.5);
    place.x = distance * Math.cos(i * goldenAngle);
    place.y = distance * Math.sin(i * goldenAngle);
  }
}

// The radius of a disc of area one: a node's share of the plane.
const unitOf = (model: GraphModel) => 320 / Math.sqrt(Math.max(1, model.data.nodes.total));

// Communities as discs whose area is their size.
export function quotientScene(model: GraphModel): Scene {
  const { communities } = model.data;
  const unit = unitOf(model);
  const places = communities.map((c, group): Place => ({ x: 0, y: 0, r: 4 + unit * Math.sqrt(c.size), group }));
  spread(places, 60);
  const pairs = communities.flatMap(({ neighbours }, c) =>
    neighbours.filter(([other]) => other > c && other < communities.length).map(([other, weight]) => ({ c, other, weight })),
  );
  const largest = Math.max(...pairs.map((pair) => pair.weight), 1e-300);
  const lines = pairs.map(({ c, other, weight }) => ({
    source: places[c]!,
    target: places[other]!,
    weight: weight / largest,
  }));
  const simulation = forceSimulation<Place, Line>(places)
    .force("links", forceLink<Place, Line>(lines).distance((l) => l.source.r + l.target.r + 40).strength((l) => 0.5 * l.weight))
    .force("apart", forceManyBody<Place>().strength((p) => -60 - 6 * p.r))
    .force("room", forceCollide<Place>((p) => p.r + 6))
    .force("x", forceX<Place>(0).strength(0.06))
    .force("y", forceY<Place>(0).strength(0.06))
    .stop();
  return { places, lines, simulation, ticks: 300 };
}

export function settle(scene: Scene, ticks = scene.ticks) {
  const some = Math.min(ticks, scene.ticks);
  scene.simulation.tick(some);
  scene.ticks -= some;
}

// All nodes. Each starts near the middle of its community.
export function nodeScene(model: GraphModel): Scene {
  const { from, to, weight } = model.edges!;
  const quotient = quotientScene(model);
  settle(quotient);
  const count = model.community.length;
  const degree = new Float64Array(count);
  from.forEach((a, e) => {
    degree[a]! += weight[e]!;
    degree[to[e]!]! += weight[e]!;
  });
  const most = Math.max(...degree, 1e-300);
  const unit = unitOf(model);
  const middle = (group: number) => quotient.places[group] ?? { x: 0, y: 0, r: 420 };
  const places = Array.from(model.community, (c, i): Place => {
    const group = c < quotient.places.length ? c : -1;
    const at = middle(group);
    const nth = group < 0 ? i : i - model.first[group]!;
    // Seeds in a sunflower, the most central in the middle; what took no part lies around all.
    const distance = group < 0 ? at.r : unit * Math.sqrt(nth + 0.5);
    const r = unit * (0.2 + 0.35 * Math.sqrt(degree[i]! / most));
    return { x: at.x + distance * Math.cos(nth * goldenAngle), y: at.y + distance * Math.sin(nth * goldenAngle), r, group };
  });
  const lines = Array.from(from, (a, e): Line => ({ source: places[a]!, target: places[to[e]!]!, weight: weight[e]! }));
  const simulation = forceSimulation<Place, Line>(places)
    .force(
      "links",
      forceLink<Place, Line>(lines)
        .distance((l) => (l.source.group === l.target.group ? 2 : 8) * unit)
        .strength((l) => (l.source.group === l.target.group ? 0.06 : 0.006) * (0.3 + 0.7 * l.weight)),
    )
    .force("apart", forceManyBody<Place>().strength(-1.1 * unit).distanceMax(24 * unit))
    .force("room", forceCollide<Place>((p) => 1.25 * p.r))
    .force("x", forceX<Place>((p) => middle(p.group).x).strength((p) => (p.group < 0 ? 0.01 : 0.07)))
    .force("y", forceY<Place>((p) => middle(p.group).y).strength((p) => (p.group < 0 ? 0.01 : 0.07)))
    .stop();
  return { places, lines, simulation, ticks: count > 1000 ? 120 : 220 };
}
