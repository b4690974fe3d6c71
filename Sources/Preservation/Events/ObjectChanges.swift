import ExactText
import SavedState
import StateRecords
import StateRestoration

/// Changes that a pass makes to each object, computed before the pass is written.
struct ObjectChanges {
    /// Maximum size, in bytes, of a value in an event.
    static let maximumValueSize = 16 << 10
    /// Maximum number of objects for which a pass sends individual events.
    static let maximumObjects = 1000
    /// Maximum total size, in bytes, of the values in a pass's events.
    static let maximumBytes = 1 << 20

    private let archive: ApplicationArchive
    private let names: NameTable
    private let passRecords: PassRecords
    private let sceneName: String
    private let hasReferences: Bool
    /// Headers of the objects that the pass records or moves, keyed by record number.
    private var headers: [UInt32: ObjectHeader] = [:]
    /// Numbers of the objects that the pass removes, excluding their descendants.
    private let removedRootNumbers: Set<UInt32>
    /// Numbers of the objects whose paths appear, change or disappear in the pass.
    ///
    /// References to these objects must be reported as changes, although the encoded bytes of the references are
    /// unchanged.
    private var changedPathObjectNumbers: Set<UInt32> = []
    private var events: [ApplicationEvent] = []
    private var byteCount = 0

    /// Prepares the events for a pass.
    ///
    /// - Parameters:
    ///   - passRecords: The scene's records, which are about to be written.
    ///   - hasReferences: Whether objects in the scene can refer to other objects.
    init(
        _ passRecords: PassRecords, of sceneName: String, in archive: ApplicationArchive,
        names: NameTable,
        hasReferences: Bool = true
    ) {
        self.hasReferences = hasReferences
        self.archive = archive
        self.names = names
        self.passRecords = passRecords
        self.sceneName = sceneName
        removedRootNumbers = Set(passRecords.removals)
    }

    /// Returns the events that describe the pass's changes.
    ///
    /// Events for removed and moved objects come first, followed by events for new and changed objects. Among new
    /// objects, parents come before children. Events for otherwise unchanged objects that refer to these objects come
    /// last. If too many objects have changed, a single event is returned instead.
    consuming func applicationEvents() -> [ApplicationEvent] {
        let count =
            passRecords.objectCount + passRecords.placements.count + passRecords.removals.count
        if count == 0 { return [] }
        if count > Self.maximumObjects { return manyChangedEvents }
        let objects = passRecords.objects.objects
        for header in passRecords.placements + objects.map(\.header) {
            headers[header.number] = header
        }
        let movedNumbers = headers.values.filter(isMoved).map(\.number)
        for number in passRecords.removals + movedNumbers {
            guard let path = archive.path(of: number), !path.isEmpty else { continue }
            events.append(ApplicationEvent(.disappeared, scene: sceneName, path: path))
        }
        collectObjectsWithChangedPaths(movedNumbers, objects)
        var appearedElementNumbers: Set<UInt32> = []
        let recordsByNumber = Dictionary(
            uniqueKeysWithValues: objects.map { ($0.header.number, $0) })
        for number in movedNumbers.sorted(by: { path(of: $0).utf8.count < path(of: $1).utf8.count })
        {
            appendMovedObjectEvents(below: number, &appearedElementNumbers, recordsByNumber)
            if exceedsLimits { return manyChangedEvents }
        }
        for object in objects where !appearedElementNumbers.contains(object.header.number) {
            appendChanges(object, archive.savedValues(of: RecordNumber(object.header.number)))
            if exceedsLimits { return manyChangedEvents }
        }
        for object in recordsWithUnchangedPaths where recordsByNumber[object.header.number] == nil {
            appendChanges(
                object, SavedValues(object.values, outOfLine: object.outOfLine.map(\.bytes)))
            if exceedsLimits { return manyChangedEvents }
        }
        let indices = events.indices.filter { events[$0].kind == .appeared }
        let sortedEvents = indices.map { events[$0] }.sorted { $0.depth < $1.depth }
        for (index, event) in zip(indices, sortedEvents) { events[index] = event }
        return events
    }

    /// Collects the objects whose paths change, so that references to them can be reported as changes.
    ///
    /// These objects are the moved and removed objects, their descendants, and objects that are recorded for the first
    /// time.
    private mutating func collectObjectsWithChangedPaths(
        _ movedNumbers: [UInt32], _ objects: [ObjectRecord]
    ) {
        if !hasReferences { return }
        for number in passRecords.removals + movedNumbers {
            changedPathObjectNumbers.insert(number)
            for record in archive.records(below: number).objects {
                changedPathObjectNumbers.insert(record.header.number)
            }
        }
        for object in objects where archive.object(object.header.number) == nil {
            changedPathObjectNumbers.insert(object.header.number)
        }
    }

    /// Saved records of the scene's objects whose paths have not changed.
    ///
    /// These records may refer to objects whose paths have changed.
    private var recordsWithUnchangedPaths: [ObjectRecord] {
        changedPathObjectNumbers.isEmpty
            ? []
            : archive.records(below: passRecords.end.scene).objects.filter {
                !changedPathObjectNumbers.contains($0.header.number)
            }
    }

    private var exceedsLimits: Bool {
        events.count > Self.maximumObjects || byteCount > Self.maximumBytes
    }

    private var manyChangedEvents: [ApplicationEvent] {
        [ApplicationEvent(.manyChanged, scene: sceneName)]
    }

    /// Returns whether an object's path differs from its path in the archive.
    private func isMoved(_ header: ObjectHeader) -> Bool {
        guard header.parent != 0, let savedHeader = archive.object(header.number)?.header else {
            return false
        }
        return savedHeader.parent != header.parent || savedHeader.identifier != header.identifier
    }

    /// Adds events for a moved object and its descendants, except descendants that the pass removes.
    private mutating func appendMovedObjectEvents(
        below number: UInt32, _ appearedElementNumbers: inout Set<UInt32>,
        _ recordsByNumber: [UInt32: ObjectRecord]
    ) {
        var removedNumbers = Set(passRecords.removals)
        for savedRecord in archive.records(below: number).objects {
            let number = savedRecord.header.number
            // The removal of an object includes its descendants.
            if removedNumbers.contains(number)
                || removedNumbers.contains(headers[number]?.parent ?? savedRecord.header.parent)
            {
                removedNumbers.insert(number)
                continue
            }
            guard appearedElementNumbers.insert(number).inserted else { continue }
            appendChanges(recordsByNumber[number] ?? savedRecord, nil)
            if exceedsLimits { return }
        }
    }

    private mutating func appendChanges(_ object: ObjectRecord, _ savedValues: SavedValues?) {
        let newValues = SavedValues(object.values, outOfLine: object.outOfLine.map(\.bytes))
        var values: [String: ApplicationEvent.ChangedValue] = [:]
        var byteCount = 0
        var changes = newValues.differences(from: savedValues)
        if savedValues != nil, !changedPathObjectNumbers.isEmpty {
            changes += newValues.values(referringTo: changedPathObjectNumbers)
        }
        for (key, value) in changes {
            guard let key = names.text(of: key), key.utf8.first != UInt8(ascii: "@") else {
                continue
            }
            values[key] = value.map(changedValue) ?? .removed
            byteCount += min(value?.count ?? 0, Self.maximumValueSize)
        }
        if savedValues != nil, values.isEmpty { return }
        let path = path(of: object.header.number)
        var event = ApplicationEvent(
            savedValues == nil && !path.isEmpty ? .appeared : .changed, scene: sceneName,
            path: path.isEmpty ? nil : path, values: values)
        event.byteCount = byteCount
        self.byteCount += byteCount
        events.append(event)
    }

    private func changedValue(_ bytes: ArraySlice<UInt8>) -> ApplicationEvent.ChangedValue {
        if bytes.count > Self.maximumValueSize { return .large(bytes: bytes.count) }
        do {
            return .value(
                try StoredValue(stored: bytes) { number in
                    let path = path(of: number.rawValue)
                    return path.isEmpty ? nil : RestorationPath(recorded: path)
                })
        } catch {
            return .large(bytes: bytes.count)
        }
    }

    /// Returns the path that an object will have after the pass has been written.
    ///
    /// The path is empty for a scene, for an object that the pass removes, and for an object without a record.
    private func path(of number: UInt32) -> String {
        var identifiers: [String] = []
        var ancestorNumber = number
        while let header = headers[ancestorNumber] ?? archive.object(ancestorNumber)?.header,
            header.parent != 0,
            identifiers.count < RestorationPath.maximumBytes
        {
            if removedRootNumbers.contains(ancestorNumber) { return "" }
            identifiers.append(header.identifier)
            ancestorNumber = header.parent
        }
        return identifiers.reversed().joined(separator: "/")
    }
}

extension ApplicationEvent {
    /// Depth of the object in its scene. The depth of a root is 1.
    fileprivate var depth: Int {
        path.map { path in 1 + path.utf8.count { $0 == UInt8(ascii: "/") } } ?? 0
    }
}
