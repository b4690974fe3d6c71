import ControllerKit
import ExactText
import PositionedYAML

/// A checker that finds controllers that would create infinitely many or too many objects.
///
/// Such controllers contain themselves, or contain more objects than the limits allow.
struct ContainmentChecker {
    let graph: ContainmentGraph
    let log: ProblemLog

    func check() {
        let topologicalOrder = graph.topologicalOrder()
        let acyclic = Set(topologicalOrder)
        for node in graph.nodes.indices where !acyclic.contains(node) {
            if let position = graph.positionClosingCycle(through: node) {
                reportCycle(node, position)
            }
        }
        checkExtents(topologicalOrder)
    }

    private func reportCycle(_ node: Int, _ position: SourcePosition) {
        let object = graph.nodes[node].controller.object
        let isElsewhere = position.file != object.name.position.file
        let storyboard = isElsewhere ? " of \(object.name.position.file)" : ""
        log.report(
            "\(object.path)\(storyboard) contains itself: remove \(Quotation(object.name.value)) from these "
                + "children, or give the controller a class that does not show it.",
            at: position)
    }

    /// The number and nesting depth of the objects that are created with a controller, including the controller itself.
    private struct Extent {
        var objects = 0
        var depth = 1
        /// Whether a problem has been reported for the controller, or for a controller that it contains.
        var isReported = false
    }

    private func checkExtents(_ topologicalOrder: [Int]) {
        var extents: [Extent] = Array(repeating: Extent(), count: graph.nodes.count)
        for node in topologicalOrder {
            let entry = graph.nodes[node]
            var extent = Extent(objects: 1 + entry.controller.outlets.count)
            for edge in entry.edges {
                let child = extents[edge.target]
                // Neither factor exceeds its limit and the sum is capped, so the calculation cannot overflow.
                extent.objects = min(
                    extent.objects + edge.creationCount * child.objects,
                    StoryboardLimits.createdObjects + 1)
                extent.depth = max(extent.depth, child.depth + 1)
                if child.isReported { extent.isReported = true }
            }
            if !extent.isReported { extent.isReported = report(extent, of: entry.controller) }
            extents[node] = extent
        }
    }

    private func report(_ extent: Extent, of controller: ControllerDefinition) -> Bool {
        let excess: String
        if extent.objects > StoryboardLimits.createdObjects {
            excess = "creates more than \(StoryboardLimits.createdObjects) objects at once"
        } else if extent.depth > StoryboardLimits.controllerDepth {
            excess =
                "contains controllers more than \(StoryboardLimits.controllerDepth) levels deep"
        } else {
            return false
        }
        log.report(
            "\(controller.path) \(excess): remove some of its children.",
            at: controller.object.name.position)
        return true
    }
}
