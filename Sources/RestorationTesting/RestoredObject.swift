import Preservation
import StateRecords
public import StateRestoration

/// What came back of an object in a test.
public struct RestoredObject<Object: StateRestoring> {
    /// The object that was made again, with what it took back.
    public let object: Object
    /// The account of the launch: what was restored, and what was not and why (R15).
    public let report: RestorationReport
    /// What could not be saved of the first object, a sentence each (P9).
    public let problems: [String]
}

/// Saves an object in memory, as an application would, and restores another one from that.
///
/// ```swift
/// let restored = try await restore(worker) { Worker() }
/// #expect(restored.object.count == worker.count)
/// #expect(restored.report.unrestored.isEmpty)
/// ```
///
/// What lies below the object, and what it refers to, is saved and restored as well; objects that are
/// `AsyncStateRestoring` finish one after the other. The other object may be of
/// another class, as a later version of the program has it: then `aliases` has the name of the first one.
///
/// - Parameters:
///   - object: what is saved; in no scene.
///   - aliases: the names that the second object's class had in earlier versions of the program (P13).
///   - makeAgain: makes the object that is restored, as the next launch of the program would.
/// - Throws: what `makeAgain` throws, and errors of registering, as `RegisteredObjects.add`.
public nonisolated(nonsending) func restore<
    Object: StateRestoring & SendableMetatype, Restored: StateRestoring & SendableMetatype
>(
    _ object: Object, aliases: [String] = [], _ makeAgain: () throws -> Restored
) async throws -> RestoredObject<Restored> {
    let names = NameTable()
    let saving = try launchedScene(of: object, aliases: [], names: names, restoring: nil)
    guard let pass = saving.scene.preserve(.inTest, .everything()) else {
        preconditionFailure("a launched scene is saved")
    }
    let saved = SavedScene(parentsFirst(pass.records.objects.objects), timestamp: 0)
    let again = try makeAgain()
    let restoring = try launchedScene(of: again, aliases: aliases, names: names, restoring: saved)
    for finish in restoring.scene.takeFinishes() { _ = await finish() }
    return RestoredObject(
        object: again, report: restoring.scene.report,
        problems: pass.diagnostics.map(\.description))
}

/// A scene of one registered object, with what keeps that.
private func launchedScene<Object: StateRestoring & SendableMetatype>(
    of object: Object, aliases: [String], names: NameTable, restoring saved: SavedScene?
) throws -> (scene: Scene, delegate: RegisteringDelegate) {
    let delegate = RegisteringDelegate { try $0.add(object, as: "object", aliases: aliases) }
    let highest = saved?.records.objects.map(\.header.number).max() ?? 0
    let scene = Scene(
        name: "main", launchReason: saved == nil ? .pristine : .restore, delegate: delegate,
        classes: ClassRegistry(),
        records: SceneRecords(names: names, numbering: RecordNumbering(after: highest)))
    try scene.launch(restoring: saved)
    return (scene, delegate)
}

/// The records with each parent before its children, the scene's own first.
private func parentsFirst(_ records: [ObjectRecord]) -> RecordList {
    let children = Dictionary(grouping: records, by: \.header.parent)
    var ordered: [ObjectRecord] = []
    var waiting = children[0] ?? []
    while let record = waiting.popLast() {
        ordered.append(record)
        waiting += (children[record.header.number] ?? []).reversed()
    }
    return RecordList(ordered)
}

extension PassStamp {
    fileprivate static let inTest = PassStamp(
        bundleVersion: "1", timestamp: 0, systemVersion: "test")
}
