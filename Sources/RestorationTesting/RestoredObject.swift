import Preservation
import StateRecords
public import StateRestoration

/// The result of saving an object and restoring its state into a new object.
public struct RestoredObject<Object: StateRestoring> {
    /// New object, with the restored state.
    public let object: Object
    /// Launch report, which lists the objects that were not restored and the reasons (R15).
    public let report: RestorationReport
    /// Sentences that describe the problems that occurred while the original object was saved (P9).
    public let problems: [String]
}

/// Saves an object in memory, as an application would, and restores its state into a new object.
///
/// ```swift
/// let restored = try await restore(worker) { Worker() }
/// #expect(restored.object.count == worker.count)
/// #expect(restored.report.unrestored.isEmpty)
/// ```
///
/// Child objects and referenced objects are saved and restored as well. Objects that conform to `AsyncStateRestoring`
/// finish their restoration one after another.
///
/// The new object can have a different class, as in a later version of the program. In that case, pass the name of the
/// original class in `aliases`.
///
/// - Parameters:
///   - object: The object to save. It must not belong to a scene.
///   - aliases: The names that the new object's class had in earlier versions of the program (P13).
///   - recreate: A closure that creates the new object, as the next launch of the program would.
/// - Throws: An error from `recreate` or from `RegisteredObjects.add`.
public nonisolated(nonsending) func restore<
    Object: StateRestoring & SendableMetatype, Restored: StateRestoring & SendableMetatype
>(
    _ object: Object, aliases: [String] = [], _ recreate: () throws -> Restored
) async throws -> RestoredObject<Restored> {
    let names = NameTable()
    let originalLaunch = try launchScene(of: object, aliases: [], names: names, restoring: nil)
    guard let pass = originalLaunch.scene.preserve(.forTesting, .everything()) else {
        preconditionFailure("a launched scene must be saved")
    }
    let savedScene = SavedScene(sortedParentsFirst(pass.records.objects.objects), timestamp: 0)
    let recreatedObject = try recreate()
    let recreatedLaunch = try launchScene(
        of: recreatedObject, aliases: aliases, names: names, restoring: savedScene)
    for finish in recreatedLaunch.scene.consumePendingRestorations() { _ = await finish() }
    return RestoredObject(
        object: recreatedObject, report: recreatedLaunch.scene.report,
        problems: pass.diagnostics.map(\.description))
}

/// Launches a scene with one registered object.
///
/// - Returns: The scene, and its delegate, which retains the object.
private func launchScene<Object: StateRestoring & SendableMetatype>(
    of object: Object, aliases: [String], names: NameTable, restoring savedScene: SavedScene?
) throws -> (scene: Scene, delegate: RegisteringDelegate) {
    let delegate = RegisteringDelegate { try $0.add(object, as: "object", aliases: aliases) }
    let highestNumber = savedScene?.records.objects.map(\.header.number).max() ?? 0
    let scene = Scene(
        name: "main", launchReason: savedScene == nil ? .pristine : .restore, delegate: delegate,
        classes: ClassRegistry(),
        records: SceneRecords(names: names, numbering: RecordNumberGenerator(after: highestNumber)))
    try scene.launch(restoring: savedScene)
    return (scene, delegate)
}

/// Orders records so that each parent precedes its children.
private func sortedParentsFirst(_ records: [ObjectRecord]) -> RecordList {
    let children = Dictionary(grouping: records, by: \.header.parent)
    var orderedRecords: [ObjectRecord] = []
    var pendingRecords = children[0] ?? []
    while let record = pendingRecords.popLast() {
        orderedRecords.append(record)
        pendingRecords += (children[record.header.number] ?? []).reversed()
    }
    return RecordList(orderedRecords)
}

extension PassMetadata {
    fileprivate static let forTesting = PassMetadata(
        bundleVersion: "1", timestamp: 0, systemVersion: "test")
}
