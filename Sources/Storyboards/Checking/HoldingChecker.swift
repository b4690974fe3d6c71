import ControllerKit
import ExactText
import PositionedYAML

/// A checker that finds controllers that would create infinitely many or too many objects.
///
/// Such controllers contain themselves, or contain more objects than the limits allow.
struct HoldingChecker {
    let graph: HoldingGraph
    let log: ProblemLog

    func check() {
        let order = graph.order()
        let orderly = Set(order)
        for node in graph.nodes.indices where !orderly.contains(node) {
            if let place = graph.placeOfReturn(to: node) { reportCircle(node, place) }
        }
        checkExtents(order)
    }

    private func reportCircle(_ node: Int, _ place: SourcePosition) {
        let object = graph.nodes[node].controller.object
        let isElsewhere = place.file != object.name.position.file
        let storyboard = isElsewhere ? " of \(object.name.position.file)" : ""
        log.report(
            "\(object.path)\(storyboard) contains itself: remove \(Quotation(object.name.value)) from these "
                + "children, or give the controller a class that does not show it.",
            at: place)
    }

    /// The number and depth of objects that are created with a controller, including the controller.
    private struct Extent {
        var objects = 0
        var depth = 1
        /// Whether a problem was reported for the controller, or for a controller that it contains.
        var isReported = false
    }

    private func checkExtents(_ order: [Int]) {
        var extents: [Extent] = Array(repeating: Extent(), count: graph.nodes.count)
        for node in order {
            let stated = graph.nodes[node]
            var extent = Extent(objects: 1 + stated.controller.outlets.count)
            for edge in stated.edges {
                let held = extents[edge.target]
                // Neither factor exceeds its limit and the sum is capped, so the calculation cannot overflow.
                extent.objects = min(
                    extent.objects + edge.times * held.objects, StoryboardLimits.madeObjects + 1)
                extent.depth = max(extent.depth, held.depth + 1)
                if held.isReported { extent.isReported = true }
            }
            if !extent.isReported { extent.isReported = report(extent, of: stated.controller) }
            extents[node] = extent
        }
    }

    private func report(_ extent: Extent, of controller: ControllerDefinition) -> Bool {
        let excess: String
        if extent.objects > StoryboardLimits.madeObjects {
            excess = "creates more than \(StoryboardLimits.madeObjects) objects at once"
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
