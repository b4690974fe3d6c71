import ControllerKit
import ExactText
import PositionedYAML

/// Which controllers make which others with themselves: their children, and those that their
/// classes show. Segues are no part of it: they make their destination when a person goes there.
struct HoldingGraph {
    /// A controller of one of the storyboards.
    struct Node {
        let controller: ControllerDefinition
        /// The controllers that it makes.
        var edges: [Edge] = []
    }

    /// That a controller makes another one.
    struct Edge {
        /// The other one's place among the nodes.
        let target: Int
        /// The first place that names it.
        let place: SourcePosition
        /// How many of it are made.
        var times = 1
    }

    /// All controllers of all storyboards.
    private(set) var nodes: [Node] = []

    /// The graph of storyboards whose names differ. References that lead to nothing are left out.
    ///
    /// - Parameter requirements: what classes of controllers need, by the names of the classes.
    init(_ linked: LinkedStoryboards, _ requirements: [ExactString: StoryboardRequirements]) {
        var numbers: [ControllerName: Int] = [:]
        for definition in linked.definitions {
            for controller in definition.controllers {
                let name = ControllerName(
                    storyboard: definition.name.value, controller: controller.name)
                numbers[name] = nodes.count
                nodes.append(Node(controller: controller))
            }
        }
        var node = 0
        for definition in linked.definitions {
            for controller in definition.controllers {
                let shown = requirements[controller.className.value]?.controllers ?? []
                for child in controller.children {
                    let storyboard = child.storyboard ?? definition.name
                    let name = ControllerName(
                        storyboard: storyboard.value, controller: child.name.value)
                    add(node, numbers[name], at: child.name.position)
                }
                for other in shown {
                    let name = ControllerName(
                        storyboard: other.storyboard ?? definition.name.value,
                        controller: other.name)
                    add(node, numbers[name], at: controller.className.position)
                }
                node += 1
            }
        }
    }

    private struct ControllerName: Hashable {
        let storyboard: String
        let controller: String
    }

    private mutating func add(_ node: Int, _ target: Int?, at place: SourcePosition) {
        guard let target else { return }
        if let known = nodes[node].edges.firstIndex(where: { $0.target == target }) {
            nodes[node].edges[known].times += 1
        } else {
            nodes[node].edges.append(Edge(target: target, place: place))
        }
    }

    /// The nodes whose edges lead only to nodes before them, in such an order: all but those on a
    /// circle, or on a way to one.
    func order() -> [Int] {
        var holders: [[Int]] = Array(repeating: [], count: nodes.count)
        var open = nodes.map(\.edges.count)
        for (node, stated) in nodes.enumerated() {
            for edge in stated.edges { holders[edge.target].append(node) }
        }
        var order = nodes.indices.filter { open[$0] == 0 }
        var next = 0
        while next < order.count {
            for holder in holders[order[next]] {
                open[holder] -= 1
                if open[holder] == 0 { order.append(holder) }
            }
            next += 1
        }
        return order
    }

    /// Where a node's way back to itself ends; nil: there is none.
    func placeOfReturn(to node: Int) -> SourcePosition? {
        var waiting = nodes[node].edges
        var seen: Set<Int> = []
        while let edge = waiting.popLast() {
            if edge.target == node { return edge.place }
            if seen.insert(edge.target).inserted { waiting += nodes[edge.target].edges }
        }
        return nil
    }
}
