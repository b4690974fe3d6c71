import StateRestoration

/// A delegate that returns results set by a test and records the calls.
final class TestDelegate: RestorationDelegate {
    var root: TestObject?
    var saves = true
    var restores = true
    var journal: Journal?
    var launching: ((Scene) throws -> Void)?
    var launched: ((Scene) throws -> Void)?
    var onShouldSave: ((StateEncoder) -> Void)?
    var encoding: ((StateEncoder) -> Void)?
    var restoring: ((StateDecoder) -> Void)?
    var decoding: ((StateDecoder) -> Void)?
    /// Closure that finds view controllers for the delegate.
    var finding: ((RestorationPath, StateDecoder) throws -> (any StateRestoring)?)?
    /// Closure that finds objects for the restoration class ``MadeObject``.
    var making: ((RestorationPath, StateDecoder) throws -> (any StateRestoring)?)?
    /// Snapshot of the scene.
    var picture: String?
    private(set) var encodings = 0
    private(set) var reasons: [LaunchReason] = []

    init(_ root: TestObject? = nil) { self.root = root }

    var restorationRoot: (any StateRestoring)? { root }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        journal?.record("willFinishLaunching")
        reasons.append(reason)
        try launching?(scene)
    }

    func application(_ scene: Scene, didFinishLaunchingWith reason: LaunchReason) throws {
        journal?.record("didFinishLaunching")
        reasons.append(reason)
        try launched?(scene)
    }

    func snapshot(of scene: Scene) -> String? { picture }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        journal?.record("shouldSave")
        onShouldSave?(coder)
        return saves
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        journal?.record("shouldRestore")
        restoring?(coder)
        return restores
    }

    func application(
        _ scene: Scene, viewControllerWithRestorationIdentifierPath path: RestorationPath,
        coder: StateDecoder
    ) throws -> (any StateRestoring)? {
        journal?.record("delegate \(path)")
        return try finding?(path, coder)
    }

    func application(_ scene: Scene, willEncodeRestorableStateWith coder: StateEncoder) {
        journal?.record("willEncode")
        encodings += 1
        encoding?(coder)
    }

    func application(_ scene: Scene, didDecodeRestorableStateWith coder: StateDecoder) {
        journal?.record("didDecode")
        decoding?(coder)
    }
}

/// A storyboard that creates the controllers specified by a test.
struct TestStoryboard: StoryboardInstantiating {
    var makers: [StoryboardOrigin: () -> TestObject] = [:]

    func instantiateViewController(_ origin: StoryboardOrigin) -> (any StateRestoring)? {
        let made = makers[origin]?()
        made?.restoration.storyboard = origin
        return made
    }
}
