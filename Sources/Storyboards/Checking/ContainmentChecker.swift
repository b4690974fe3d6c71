import ControllerKit
import ExactText
import PositionedYAML

/// A checker for controllers that would create too many or infinitely many objects.
///
/// Such controllers contain themselves, or exceed the limits for the number and depth of their objects.
struct ContainmentChecker {
    let graph: ContainmentGraph
    let log: ProblemLog

    func check() {
        let topologicalOrder = graph.topologicalOrder()
        let acyclicNodes = Set(topologicalOrder)
        for nodeIndex in graph.nodes.indices where !acyclicNodes.contains(nodeIndex) {
            if let position = graph.positionClosingCycle(through: nodeIndex) {
                reportCycle(nodeIndex, position)
            }
        }
        checkExtents(topologicalOrder)
    }

    private func reportCycle(_ nodeIndex: Int, _ position: SourcePosition) {
        let object = graph.nodes[nodeIndex].controller.object
        let isInOtherFile = position.file != object.name.position.file
        let storyboard = isInOtherFile ? " of \(object.name.position.file)" : ""
        log.report(
            "\(object.path)\(storyboard) contains itself: remove \(Quotation(object.name.value)) from these "
                + "children, or give the controller a class that does not show it.",
            at: position)
    }

    /// The number of objects that are created with a controller, and the nesting depth of the controllers among them.
    ///
    /// Both numbers include the controller itself.
    private struct Extent {
        var objectCount = 0
        var depth = 1
        /// Whether a problem has been reported for the controller, or for a controller that it contains.
        var isReported = false
    }

    private func checkExtents(_ topologicalOrder: [Int]) {
        var extents: [Extent] = Array(repeating: Extent(), count: graph.nodes.count)
        for nodeIndex in topologicalOrder {
            let node = graph.nodes[nodeIndex]
            var extent = Extent(objectCount: 1 + node.controller.outlets.count)
            for edge in node.edges {
                let child = extents[edge.targetIndex]
                // Neither factor exceeds its limit and the sum is capped, so the calculation cannot overflow.
                extent.objectCount = min(
                    extent.objectCount + edge.creationCount * child.objectCount,
                    StoryboardLimits.maximumCreatedObjectCount + 1)
                extent.depth = max(extent.depth, child.depth + 1)
                if child.isReported { extent.isReported = true }
            }
            if !extent.isReported { extent.isReported = report(extent, of: node.controller) }
            extents[nodeIndex] = extent
        }
    }

    private func report(_ extent: Extent, of controller: ControllerDefinition) -> Bool {
        let excessDescription: String
        if extent.objectCount > StoryboardLimits.maximumCreatedObjectCount {
            excessDescription =
                "creates more than \(StoryboardLimits.maximumCreatedObjectCount) objects at once"
        } else if extent.depth > StoryboardLimits.maximumControllerDepth {
            excessDescription =
                "contains controllers more than \(StoryboardLimits.maximumControllerDepth) levels deep"
        } else {
            return false
        }
        log.report(
            "\(controller.path) \(excessDescription): remove some of its children.",
            at: controller.object.name.position)
        return true
    }
}
