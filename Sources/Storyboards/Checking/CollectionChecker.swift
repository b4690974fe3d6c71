import ControllerKit
import ExactText
import PositionedYAML
import StateRestoration

/// Finds everything in an application's storyboards that would keep one of their controllers from
/// being made.
struct CollectionChecker {
    private let linked: LinkedStoryboards
    private let log: ProblemLog

    /// Checks storyboards.
    ///
    /// - Throws: everything that is wrong, in the order of the files and of the places in them.
    static func check(_ linked: LinkedStoryboards) throws(PositionedErrors) {
        let log = ProblemLog(files: linked.definitions.map(\.name.position.file))
        CollectionChecker(linked: linked, log: log).check()
        try log.throwIfAny()
    }

    private func check() {
        guard checkSizes() else { return }
        let areNamesUnique = checkNames()
        var requirements: [ExactString: StoryboardRequirements] = [:]
        for definition in linked.definitions {
            for controller in definition.controllers {
                let name = controller.className.value
                guard requirements[name] == nil,
                    let made = linked.classes.makeObject(name) as? ViewController
                else { continue }
                requirements[name] = type(of: made).storyboardRequirements
            }
            StoryboardChecker(definition, linked, log).check()
        }
        if areNamesUnique {
            HoldingChecker(graph: HoldingGraph(linked, requirements), log: log).check()
        }
    }

    /// Of two storyboards with one name a recorded controller would find only the first (R3).
    private func checkNames() -> Bool {
        var seen: [ExactString: SourcePosition] = [:]
        for definition in linked.definitions {
            let name = definition.name
            if let first = seen[name.value] {
                log.report(
                    "the storyboard \(Quotation(name.value)) is stated already at \(first): "
                        + "give one of them another name.",
                    at: name.position)
            } else {
                seen[name.value] = name.position
            }
        }
        return seen.count == linked.definitions.count
    }

    private func checkSizes() -> Bool {
        var controllers = 0
        var objects = 0
        for definition in linked.definitions {
            for controller in definition.controllers {
                controllers += 1
                objects += 1 + controller.outlets.count
                objects += controller.children.count + controller.segues.count
                let excess =
                    controllers > StoryboardLimits.controllers
                    ? "\(StoryboardLimits.controllers) controllers"
                    : "\(StoryboardLimits.objects) objects"
                if controllers > StoryboardLimits.controllers || objects > StoryboardLimits.objects
                {
                    log.report(
                        "with \(controller.path) there are more than \(excess) in the "
                            + "application's storyboards: take some out.",
                        at: controller.object.name.position)
                    return false
                }
            }
        }
        return true
    }
}

/// How much the storyboards of an application may state. Interfaces stay far below; the limits keep
/// a file that went wrong from taking memory or time without end.
enum StoryboardLimits {
    /// Controllers in all storyboards together.
    static let controllers = 1_000
    /// Controllers, views, bar button items, children and segues in all storyboards together.
    static let objects = 10_000
    /// How deep views lie in each other.
    static let viewDepth = 12
    /// How deep controllers hold each other.
    static let controllerDepth = 32
    /// Controllers and views that are made at once, when one controller is made with all it holds.
    static let madeObjects = 10_000
}
