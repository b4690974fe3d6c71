import ControllerKit
import ExactText
import PositionedYAML

/// A graph that links each controller to the controllers that it creates.
///
/// A controller creates its children and the controllers that its class shows. The graph does not include segues,
/// because a segue creates its destination only when it is performed.
struct ContainmentGraph {
    /// A controller in one of the storyboards.
    struct Node {
        let controller: ControllerDefinition
        /// References to the controllers that this controller creates.
        var edges: [Edge] = []
    }

    /// A reference from a controller to a controller that it creates.
    struct Edge {
        /// The index of the created controller among the nodes.
        let targetIndex: Int
        /// The position of the first reference to the created controller.
        let position: SourcePosition
        /// The number of times that the target controller is created.
        var creationCount = 1
    }

    /// All controllers in all storyboards.
    private(set) var nodes: [Node] = []

    /// Creates the graph.
    ///
    /// The storyboards must have unique names. References to unknown controllers are omitted.
    ///
    /// - Parameter requirements: The requirements of controller classes, keyed by class name.
    init(
        _ linkedStoryboards: LinkedStoryboards,
        _ requirements: [ExactString: StoryboardRequirements]
    ) {
        var nodeIndices: [ControllerName: Int] = [:]
        for definition in linkedStoryboards.definitions {
            for controller in definition.controllers {
                let name = ControllerName(
                    storyboard: definition.name.value, controller: controller.name)
                nodeIndices[name] = nodes.count
                nodes.append(Node(controller: controller))
            }
        }
        var nodeIndex = 0
        for definition in linkedStoryboards.definitions {
            for controller in definition.controllers {
                let requiredControllers =
                    requirements[controller.className.value]?.controllers ?? []
                for child in controller.children {
                    let storyboardName = child.storyboardName ?? definition.name
                    let name = ControllerName(
                        storyboard: storyboardName.value, controller: child.name.value)
                    addEdge(nodeIndex, nodeIndices[name], at: child.name.position)
                }
                for requiredController in requiredControllers {
                    let name = ControllerName(
                        storyboard: requiredController.storyboard ?? definition.name.value,
                        controller: requiredController.name)
                    addEdge(nodeIndex, nodeIndices[name], at: controller.className.position)
                }
                nodeIndex += 1
            }
        }
    }

    private struct ControllerName: Hashable {
        let storyboard: String
        let controller: String
    }

    private mutating func addEdge(
        _ nodeIndex: Int, _ targetIndex: Int?, at position: SourcePosition
    ) {
        guard let targetIndex else { return }
        if let edgeIndex = nodes[nodeIndex].edges.firstIndex(where: {
            $0.targetIndex == targetIndex
        }) {
            nodes[nodeIndex].edges[edgeIndex].creationCount += 1
        } else {
            nodes[nodeIndex].edges.append(Edge(targetIndex: targetIndex, position: position))
        }
    }

    /// Returns the nodes in topological order, so that each controller follows all controllers that it creates.
    ///
    /// Nodes on a cycle, and nodes that lead to a cycle, are omitted.
    func topologicalOrder() -> [Int] {
        var parents: [[Int]] = Array(repeating: [], count: nodes.count)
        var remainingEdgeCounts = nodes.map(\.edges.count)
        for (nodeIndex, node) in nodes.enumerated() {
            for edge in node.edges { parents[edge.targetIndex].append(nodeIndex) }
        }
        var topologicalOrder = nodes.indices.filter { remainingEdgeCounts[$0] == 0 }
        var nextIndex = 0
        while nextIndex < topologicalOrder.count {
            for parent in parents[topologicalOrder[nextIndex]] {
                remainingEdgeCounts[parent] -= 1
                if remainingEdgeCounts[parent] == 0 { topologicalOrder.append(parent) }
            }
            nextIndex += 1
        }
        return topologicalOrder
    }

    /// Returns the position of the reference that closes a cycle through a node, or `nil` if the node is not on a
    /// cycle.
    func positionClosingCycle(through nodeIndex: Int) -> SourcePosition? {
        var pendingEdges = nodes[nodeIndex].edges
        var visitedNodes: Set<Int> = []
        while let edge = pendingEdges.popLast() {
            if edge.targetIndex == nodeIndex { return edge.position }
            if visitedNodes.insert(edge.targetIndex).inserted {
                pendingEdges += nodes[edge.targetIndex].edges
            }
        }
        return nil
    }
}
