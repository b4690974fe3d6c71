import StateRecords
import StateRestoration

/// A launched scene whose passes go to an archive in memory.
final class TestScene {
    let delegate: TestDelegate
    let scene: Scene
    let archive: MemoryArchive

    /// Makes a scene that is not launched yet.
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
                numbering: RecordNumbering(after: archive.highestNumber)))
        scene.records.savedValues = { number in
            archive.records[number.rawValue].map {
                SavedValues($0.values, outOfLine: $0.outOfLine.map(\.bytes))
            }
        }
    }

    /// Launches a scene with this root: a new process that finds what the archive holds.
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

    /// Makes a pass and writes it.
    @discardableResult
    func save(isFull: Bool = false) -> PassOutput? {
        save(isFull ? .everything() : .marked)
    }

    /// Makes a pass and writes it.
    @discardableResult
    func save(_ scope: PassScope) -> PassOutput? {
        let output = scene.preserve(.test, scope)
        if let output { archive.write(output) }
        return output
    }

    var report: RestorationReport { scene.report }

    /// What was not restored, as `path: code`.
    var unrestored: [String] { report.unrestored.map { "\($0.path): \($0.code.rawValue)" } }
}

extension PassStamp {
    static let test = PassStamp(
        bundleVersion: "7", timestamp: 1_000_000, systemVersion: "Linux 6.1")
}

extension PassOutput {
    /// The diagnostics' sentences.
    var sentences: [String] { diagnostics.map(\.description) }
}

extension PassOutput {
    /// The objects that the pass recorded.
    var objects: [ObjectRecord] { records.objects.objects }
    /// The new headers of objects that stand elsewhere.
    var moves: [ObjectHeader] { records.placements }
    /// The numbers of the records that go.
    var removals: [UInt32] { records.removals }
    /// All bytes that the objects' records lie in.
    var values: [UInt8] { records.objects.buffers.flatMap(\.self) }
    /// The names that are new.
    var names: [(number: UInt32, text: String)] { records.names }
}
