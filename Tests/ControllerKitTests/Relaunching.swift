import ControllerKit
import StateRestoration

/// A controller with one view, which tests can change at several stages of a launch.
final class SingleViewController<Content: View>: ViewController {
    var contentView = Content()
    var loaded: (Content) -> Void = { _ in }
    var finished: (Content) -> Void = { _ in }

    override func viewDidLoad() {
        super.viewDidLoad()
        contentView.restorationIdentifier = "held"
        loaded(contentView)
        view.addSubview(contentView)
    }

    override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        finished(contentView)
    }
}

/// Saves a view, and returns the view that another launch restores.
///
/// - Parameters:
///   - loaded: A closure that runs in `viewDidLoad` in both launches.
///   - change: A closure that runs before the state is saved.
///   - reloaded: A closure that runs in `viewDidLoad` in the second launch instead of `loaded`.
///   - finished: A closure that runs in the second launch after all objects have been restored.
func relaunched<Content: View>(
    _ loaded: @escaping (Content) -> Void = { _ in },
    change: (Content) throws -> Void,
    reloaded: ((Content) -> Void)? = nil,
    finished: @escaping (Content) -> Void = { _ in }
) throws -> Content {
    let controller = SingleViewController<Content>.named("page")
    controller.loaded = loaded
    let first = TestApplication(controller)
    try first.launch()
    try change(controller.contentView)
    first.save()
    let next = SingleViewController<Content>.named("page")
    next.loaded = reloaded ?? loaded
    next.finished = finished
    try TestApplication(next).launch(restoring: first)
    return next.contentView
}

/// Restores an object from the state that `write` encodes, as from a forged archive.
func restore(_ object: any StateRestoring, _ write: (StateEncoder) -> Void) throws {
    let names = NameTable()
    let passMetadata = PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "")
    let encoder = StateEncoder(names: names, passMetadata: passMetadata)
    encoder.begin()
    write(encoder)
    let source = SharedDecoderData(
        names: names, passMetadata: passMetadata, path: { _ in "page/held" }, object: { _ in nil })
    let decoder = StateDecoder(
        source, number: RecordNumber(1), SavedValues(encoder.bytes[encoder.valuesRange()]))
    defer { object.applicationFinishedRestoringState() }
    try decoder.decodeState(of: object)
}

/// Launches an application with a root, and saves it.
func saved(_ root: ViewController) throws -> TestApplication {
    let application = TestApplication(root)
    try application.launch()
    application.save()
    return application
}

/// Restores the state that an application has saved into another root.
///
/// - Parameters:
///   - made: The paths of the controllers that the delegate creates, which become their titles.
///   - type: The class of the controllers that the delegate creates.
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
