import Preservation
import StateRecords
public import StateRestoration

/// Result of saving and restoring an object in a test.
public struct RestoredObject<Object: StateRestoring> {
    /// The newly created object, with the state that it restored.
    public let object: Object
    /// Report of the launch: what was restored, and what was not and why (R15).
    public let report: RestorationReport
    /// Problems with saving the first object, one sentence each (P9).
    public let problems: [String]
}

/// Saves an object in memory, as an application would, and restores that state into a new object.
///
/// ```swift
/// let restored = try await restore(worker) { Worker() }
/// #expect(restored.object.count == worker.count)
/// #expect(restored.report.unrestored.isEmpty)
/// ```
///
/// Objects below the object, and objects that it refers to, are saved and restored as well. Objects that are
/// `AsyncStateRestoring` finish one after the other. The new object may be of a different class, as in a later
/// version of the program. In that case, `aliases` contains the name of the first object's class.
///
/// - Parameters:
///   - object: Object to save, which must not belong to a scene.
///   - aliases: Names that the second object's class had in earlier versions of the program (P13).
///   - makeAgain: Creates the object to restore, as the next launch of the program would.
/// - Throws: Any error that `makeAgain` throws, and the errors that `RegisteredObjects.add` throws for the
///   registration.
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
    for finish in restoring.scene.consumePendingRestorations() { _ = await finish() }
    return RestoredObject(
        object: again, report: restoring.scene.report,
        problems: pass.diagnostics.map(\.description))
}

/// Launches a scene with one registered object, and returns it with the delegate that retains the object.
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

/// Orders records so that each parent precedes its children.
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
