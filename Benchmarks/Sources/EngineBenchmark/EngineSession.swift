import StateRecords
import StateRestoration

/// A scene whose objects are of one shape.
struct EngineSession {
    let scene: Scene
    private let delegate: Delegate

    /// The root; nil before the launch.
    var root: LiveItem? { delegate.root }

    /// Makes a scene that is not launched yet.
    ///
    /// - Parameters:
    ///   - names: those that the archive holds.
    ///   - last: the highest number that the archive holds.
    ///   - makeRoot: makes the root and what lies in it, at launch.
    init(
        names: [UInt32: String] = [:], after last: UInt32 = 0, makeRoot: @escaping () -> LiveItem
    ) {
        delegate = Delegate(makeRoot: makeRoot)
        scene = Scene(
            name: "main", launchReason: .pristine, delegate: delegate, classes: ClassRegistry(),
            records: SceneRecords(
                names: NameTable(names), numbering: RecordNumbering(after: last)))
    }

    /// Makes a pass; nil if nothing asks for one.
    func pass(isFull: Bool = false) -> PassOutput? {
        scene.preserve(
            PassStamp(bundleVersion: "1", timestamp: 0, systemVersion: "Linux"),
            isFull ? .everything() : .marked)
    }

    private final class Delegate: RestorationDelegate {
        private(set) var root: LiveItem?
        private let makeRoot: () -> LiveItem

        init(makeRoot: @escaping () -> LiveItem) { self.makeRoot = makeRoot }

        var restorationRoot: (any StateRestoring)? { root }

        func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) {
            root = makeRoot()
        }

        func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
            true
        }

        func application(
            _ scene: Scene, shouldRestoreApplicationState coder: StateDecoder
        ) -> Bool { true }
    }
}

/// What a full pass wrote, as a launch restores it.
struct SavedItems {
    let scene: SavedScene
    let names: [UInt32: String]
    let highestNumber: UInt32

    init(_ output: PassOutput) {
        let records = output.records
        scene = SavedScene(records.objects, timestamp: output.stamp.timestamp)
        names = Dictionary(uniqueKeysWithValues: records.names.map { ($0.number, $0.text) })
        highestNumber = UInt32(records.objects.count)
    }
}
