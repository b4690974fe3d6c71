import ControllerKit
import StateRestoration

/// A controller with one view, which it can change at each stage of a launch.
final class HoldingController<Held: View>: ViewController {
    var held = Held()
    var loaded: (Held) -> Void = { _ in }
    var finished: (Held) -> Void = { _ in }

    override func viewDidLoad() {
        super.viewDidLoad()
        held.restorationIdentifier = "held"
        loaded(held)
        view.addSubview(held)
    }

    override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        finished(held)
    }
}

/// Saves a view and gives what another launch restores of it.
///
/// - Parameters:
///   - loaded: what the program sets in `viewDidLoad`, at both launches.
///   - change: what happens before the state is saved.
///   - reloaded: what the program sets in `viewDidLoad` at the second launch instead.
///   - finished: what it sets at the second launch when everything is restored.
func relaunched<Held: View>(
    _ loaded: @escaping (Held) -> Void = { _ in },
    change: (Held) throws -> Void,
    reloaded: ((Held) -> Void)? = nil,
    finished: @escaping (Held) -> Void = { _ in }
) throws -> Held {
    let controller = HoldingController<Held>.named("page")
    controller.loaded = loaded
    let first = TestApplication(controller)
    try first.launch()
    try change(controller.held)
    first.save()
    let next = HoldingController<Held>.named("page")
    next.loaded = reloaded ?? loaded
    next.finished = finished
    try TestApplication(next).launch(restoring: first)
    return next.held
}

/// Gives an object the state that `write` stores, as an archive could hold it that somebody forged.
func restore(_ object: any StateRestoring, _ write: (StateEncoder) -> Void) throws {
    let names = NameTable()
    let stamp = PassStamp(bundleVersion: "1", timestamp: 0, systemVersion: "")
    let encoder = StateEncoder(names: names, stamp: stamp)
    encoder.begin()
    write(encoder)
    let source = StateDecoderSource(
        names: names, stamp: stamp, path: { _ in "page/held" }, object: { _ in nil })
    let decoder = StateDecoder(
        source, number: RecordNumber(1), SavedValues(encoder.bytes[encoder.end()]))
    defer { object.applicationFinishedRestoringState() }
    try decoder.decodeState(of: object)
}

/// Saves the tree below a root.
func saved(_ root: ViewController) throws -> TestApplication {
    let application = TestApplication(root)
    try application.launch()
    application.save()
    return application
}

/// Restores into another root what an application saved.
///
/// - Parameters:
///   - made: the paths of the controllers that the delegate makes, with these as titles.
///   - type: the class of these.
@discardableResult
func restore(
    _ next: ViewController, from first: TestApplication, making made: Set<String> = [],
    as type: ViewController.Type = ViewController.self
) throws -> RestorationReport {
    let application = TestApplication(next)
    application.finder = { path in
        guard made.contains(path) else { return nil }
        let controller = type.init()
        controller.title = path
        return controller
    }
    return try application.launch(restoring: first)
}
