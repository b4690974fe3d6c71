import StateRecords
import StateRestoration

/// A scene whose passes are written to an archive in memory.
final class TestScene {
    let delegate: TestDelegate
    let scene: Scene
    let archive: MemoryArchive

    /// Creates a scene that is not launched yet.
    init(
        _ delegate: TestDelegate, archive: MemoryArchive = MemoryArchive(),
        reason: LaunchReason = .pristine, classes: ClassRegistry = ClassRegistry()
    ) {
        self.delegate = delegate
        self.archive = archive
        scene = Scene(
            name: "main", launchReason: reason, delegate: delegate, classes: classes,
            records: SceneRecords(
                names: NameTable(archive.names),
                numbering: RecordNumberGenerator(after: archive.highestNumber)))
        scene.records.savedValues = { number in
            archive.records[number.rawValue].map {
                SavedValues($0.values, outOfLine: $0.outOfLine.map(\.bytes))
            }
        }
    }

    /// Launches a scene with the given root, as a new process that restores the contents of the archive.
    static func launched(
        _ root: TestObject?, archive: MemoryArchive = MemoryArchive(),
        storyboards: TestStoryboard = TestStoryboard(), classes: ClassRegistry = ClassRegistry(),
        configure: (TestDelegate) -> Void = { _ in }
    ) throws -> TestScene {
        let isEmpty = archive.savedScene == nil
        let delegate = TestDelegate(root)
        configure(delegate)
        let scene = TestScene(
            delegate, archive: archive, reason: isEmpty ? .pristine : .restore, classes: classes)
        try scene.launch(storyboards)
        return scene
    }

    func launch(_ storyboards: TestStoryboard = TestStoryboard()) throws {
        try scene.launch(restoring: archive.savedScene, storyboards: storyboards)
    }

    /// Makes a pass, and writes its output to the archive.
    @discardableResult
    func save(isFull: Bool = false) -> PassOutput? {
        save(isFull ? .everything() : .marked)
    }

    /// Makes a pass with the given scope, and writes its output to the archive.
    @discardableResult
    func save(_ scope: PassScope) -> PassOutput? {
        let output = scene.preserve(.test, scope)
        if let output { archive.write(output) }
        return output
    }

    var report: RestorationReport { scene.report }

    /// Objects that were not restored, each in the form `path: code`.
    var unrestored: [String] { report.unrestored.map { "\($0.path): \($0.code.rawValue)" } }
}

extension PassMetadata {
    static let test = PassMetadata(
        bundleVersion: "7", timestamp: 1_000_000, systemVersion: "Linux 6.1")
}

extension PassOutput {
    /// Sentences of the diagnostics.
    var sentences: [String] { diagnostics.map(\.description) }
}

extension PassOutput {
    /// Records of the objects.
    var objects: [ObjectRecord] { records.objects.objects }
    /// New headers of moved objects.
    var moves: [ObjectHeader] { records.placements }
    /// Numbers of the removed records.
    var removals: [UInt32] { records.removals }
    /// Bytes of all records of objects.
    var values: [UInt8] { records.objects.buffers.flatMap(\.self) }
    /// New names.
    var names: [(number: UInt32, text: String)] { records.names }
}
