import StateRecords
import StateRestoration
import Testing

@testable import ControllerKit

/// Something that changes what an application saves.
struct Change: Sendable, CustomTestStringConvertible {
    /// What changes: a class and its member.
    let testDescription: String
    /// Launches an application, and makes what changes something in it.
    private let launch: @Sendable () throws -> (TestApplication, () throws -> Void)

    /// A change of what an application holds that is launched already.
    init(
        _ name: String,
        launching launch: @escaping @Sendable () throws -> (TestApplication, () throws -> Void)
    ) {
        testDescription = name
        self.launch = launch
    }

    /// A change of the tree below a root.
    init(
        _ name: String,
        _ make: @escaping @Sendable () throws -> (ViewController, () throws -> Void)
    ) {
        self.init(name) { () -> (TestApplication, () throws -> Void) in
            let (root, change) = try make()
            let application = TestApplication(root)
            try application.launch()
            return (application, change)
        }
    }

    /// A change of a view, whose controller saves what it shows.
    ///
    /// - Parameters:
    ///   - shown: what the controller saves.
    ///   - prepare: makes the view what it is before.
    static func view<Held: View>(
        _ name: String, shown: @escaping @Sendable (Held) -> String,
        _ prepare: @escaping @Sendable (Held) throws -> Void = { _ in },
        change: @escaping @Sendable (Held) throws -> Void
    ) -> Change {
        Change("\(Held.self).\(name)") {
            let controller = ShowingController<Held>.named("page")
            controller.shown = shown
            controller.loadViewIfNeeded()
            try prepare(controller.held)
            return (controller, { try change(controller.held) })
        }
    }

    /// Expects that the pass after the change saves all of it: a full one has nothing to add (P18).
    func expectSaved() throws {
        let (application, change) = try launch()
        application.save()
        let scene = try #require(application.scene)
        try #require(!scene.needsPass)
        try change()
        let stamp = PassStamp(bundleVersion: "1", timestamp: 0, systemVersion: "")
        let output = scene.preserve(stamp)
        #expect(output?.isEmpty == false, "nothing was saved")
        let rest = try #require(scene.preserve(stamp, .everything()))
        let missed = (rest.objects.map(\.header) + rest.moves).map(\.identifier)
        #expect(missed == [], "this was not saved")
        #expect(rest.removals == [])
    }
}

/// A controller that saves what its view shows, as many do.
private final class ShowingController<Held: View>: ViewController {
    let held = Held()
    var shown: (Held) -> String = { _ in "" }

    override func viewDidLoad() {
        super.viewDidLoad()
        held.restorationIdentifier = "held"
        view.addSubview(held)
    }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(shown(held), forKey: "shown")
    }
}
