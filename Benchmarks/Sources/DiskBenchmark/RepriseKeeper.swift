import Foundation
import SavedState
import StateRecords
import StateRestoration

/// Keeps the objects as the library does: a pass, and what it wrote in an archive.
final class RepriseKeeper: Keeper {
    let name = "Reprise"
    let count: Int
    private let shape: Shape
    private let folder: String
    private let root: LiveItem
    private let changed: LiveItem
    private(set) var archive: ApplicationArchive?
    private var session: EngineSession?
    private var isDurable = false

    init(_ shape: Shape, folder: String) {
        count = shape.count
        self.shape = shape
        self.folder = folder + "/reprise"
        root = shape.tree { LiveItem($0, place: $1, children: $2) }
        changed = root.innermost
    }

    func begin() throws {
        try end()
        try? FileManager.default.removeItem(atPath: folder)
        let archive = try StateDirectory.open(folder).archive(of: "org.reprise.Benchmark")
        guard try archive.load() == .none else { throw Failure("begin") }
        let session = EngineSession { [root] in root }
        try session.scene.launch(restoring: nil)
        self.archive = archive
        self.session = session
    }

    func saveAll() throws { try save() }

    /// Changes every object, and saves that at the end of the file.
    func changeAll() throws {
        root.changeAll()
        try save()
    }

    func expectChanges(durably: Bool) throws { isDurable = durably }

    func saveChange() throws {
        changed.change()
        try save()
        guard isDurable, let archive, let job = archive.beginSync() else { return }
        try archive.endSync(job, job.run())
    }

    private func save() throws {
        guard let pass = session?.pass() else { throw Failure("pass") }
        var turn = TurnRecords()
        turn.add(pass.records)
        try archive?.append(turn)
    }

    func end() throws {
        session?.scene.records.disband()
        session = nil
        archive = nil
    }

    func restore() throws -> LiveItem? {
        let archive = try StateDirectory.open(folder).archive(of: "org.reprise.Benchmark")
        _ = try archive.load()
        guard let scene = archive.scenes.first else { throw Failure("load") }
        let number = scene.header.number
        let session = EngineSession(names: archive.names, after: archive.highestObjectNumber) {
            [shape] in shape.tree { LiveItem(.none, place: $1, children: $2) }
        }
        try session.scene.launch(
            restoring: SavedScene(
                archive.records(ofScene: number),
                timestamp: archive.pass(ofScene: number)?.timestamp ?? 0))
        return session.root
    }

    func countEqual(_ restored: LiveItem?) -> Int { restored?.countEqual(to: root) ?? 0 }
}
