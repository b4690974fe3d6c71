import ControllerKit
import ExactText
import PositionedYAML
import StateRestoration

/// A checker for problems that would prevent an application's storyboards from creating their controllers.
struct StoryboardCollectionChecker {
    private let linkedStoryboards: LinkedStoryboards
    private let log: ProblemLog

    /// Checks all storyboards of an application.
    ///
    /// - Throws: All problems, sorted by file and position.
    static func check(_ linkedStoryboards: LinkedStoryboards) throws(PositionedErrors) {
        let log = ProblemLog(fileNames: linkedStoryboards.definitions.map(\.name.position.file))
        StoryboardCollectionChecker(linkedStoryboards: linkedStoryboards, log: log).check()
        try log.throwReportedProblems()
    }

    private func check() {
        guard checkSizes() else { return }
        let areNamesUnique = checkNames()
        var requirements: [ExactString: StoryboardRequirements] = [:]
        for definition in linkedStoryboards.definitions {
            for controller in definition.controllers {
                let name = controller.className.value
                guard requirements[name] == nil,
                    let instance = linkedStoryboards.classes.makeObject(name) as? ViewController
                else { continue }
                requirements[name] = type(of: instance).storyboardRequirements
            }
            StoryboardChecker(definition, linkedStoryboards, log).check()
        }
        if areNamesUnique {
            ContainmentChecker(graph: ContainmentGraph(linkedStoryboards, requirements), log: log)
                .check()
        }
    }

    /// Checks that the names of the storyboards are unique.
    ///
    /// If two storyboards had the same name, a launch would search only the first one for recorded controllers (R3).
    private func checkNames() -> Bool {
        var firstPositions: [ExactString: SourcePosition] = [:]
        for definition in linkedStoryboards.definitions {
            let name = definition.name
            if let firstPosition = firstPositions[name.value] {
                log.report(
                    "the storyboard \(Quotation(name.value)) is already defined at \(firstPosition): "
                        + "give one of them another name.",
                    at: name.position)
            } else {
                firstPositions[name.value] = name.position
            }
        }
        return firstPositions.count == linkedStoryboards.definitions.count
    }

    private func checkSizes() -> Bool {
        var controllerCount = 0
        var objectCount = 0
        for definition in linkedStoryboards.definitions {
            for controller in definition.controllers {
                controllerCount += 1
                objectCount += 1 + controller.outlets.count
                objectCount += controller.children.count + controller.segues.count
                let exceededLimitDescription =
                    controllerCount > StoryboardLimits.maximumControllerCount
                    ? "\(StoryboardLimits.maximumControllerCount) controllers"
                    : "\(StoryboardLimits.maximumObjectCount) objects"
                if controllerCount > StoryboardLimits.maximumControllerCount
                    || objectCount > StoryboardLimits.maximumObjectCount
                {
                    log.report(
                        "\(controller.path) exceeds the limit of \(exceededLimitDescription) in the "
                            + "application's storyboards: remove some.",
                        at: controller.object.name.position)
                    return false
                }
            }
        }
        return true
    }
}

/// Limits for an application's storyboards.
///
/// The limits are far above the size of real interfaces, but prevent a malformed file from consuming unlimited memory
/// or time.
enum StoryboardLimits {
    /// Maximum number of controllers in all storyboards.
    static let maximumControllerCount = 1_000
    /// Maximum total number of controllers, views, bar button items, children and segues in all storyboards.
    static let maximumObjectCount = 10_000
    /// Maximum nesting depth of views.
    static let maximumViewDepth = 12
    /// Maximum nesting depth of controllers.
    static let maximumControllerDepth = 32
    /// Maximum number of controllers and views that are created together with one controller.
    static let maximumCreatedObjectCount = 10_000
}
