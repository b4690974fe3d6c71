import ExactText
import SavedState
import StateRecords
import StateRestoration

/// Finds out what a pass changes of each object, before it is written.
struct ObjectChanges {
    /// The most bytes of a value that is told.
    static let largestValue = 16 << 10
    /// The most objects of one pass that are told of each by itself.
    static let mostObjects = 1000
    /// The most bytes of their values.
    static let mostBytes = 1 << 20

    private let archive: ApplicationArchive
    private let names: NameTable
    private let pass: PassRecords
    private let scene: String
    private let hasReferences: Bool
    /// The objects that the pass records or moves, by their numbers.
    private var headers: [UInt32: ObjectHeader] = [:]
    /// The objects that the pass removes, without those below them.
    private let removed: Set<UInt32>
    /// The objects to which references lead elsewhere from now on, or to nothing any more, though their
    /// bytes are as before.
    private var displaced: Set<UInt32> = []
    private var events: [ApplicationEvent] = []
    private var byteCount = 0

    /// - Parameters:
    ///   - pass: what is about to be written of a scene.
    ///   - hasReferences: whether an object of the scene may refer to another one.
    init(
        _ pass: PassRecords, of scene: String, in archive: ApplicationArchive, names: NameTable,
        hasReferences: Bool = true
    ) {
        self.hasReferences = hasReferences
        self.archive = archive
        self.names = names
        self.pass = pass
        self.scene = scene
        removed = Set(pass.removals)
    }

    /// The events that tell of them: first of objects that go, also of those that stand elsewhere
    /// from now on, then of those that come, parents first, and of those that change, also because their
    /// references lead elsewhere with that; of very many a single one.
    consuming func told() -> [ApplicationEvent] {
        let count = pass.objectCount + pass.placements.count + pass.removals.count
        if count == 0 { return [] }
        if count > Self.mostObjects { return tooMany }
        let objects = pass.objects.objects
        for header in pass.placements + objects.map(\.header) { headers[header.number] = header }
        let moved = headers.values.filter(isMoved).map(\.number)
        for number in pass.removals + moved {
            guard let path = archive.path(of: number), !path.isEmpty else { continue }
            events.append(ApplicationEvent(.disappeared, scene: scene, path: path))
        }
        displace(moved, objects)
        var appeared: Set<UInt32> = []
        let recorded = Dictionary(uniqueKeysWithValues: objects.map { ($0.header.number, $0) })
        for number in moved.sorted(by: { path(of: $0).utf8.count < path(of: $1).utf8.count }) {
            appear(below: number, &appeared, recorded)
            if isTooMuch { return tooMany }
        }
        for object in objects where !appeared.contains(object.header.number) {
            append(object, archive.savedValues(of: RecordNumber(object.header.number)))
            if isTooMuch { return tooMany }
        }
        for object in referring where recorded[object.header.number] == nil {
            if appeared.contains(object.header.number) { continue }
            append(object, SavedValues(object.values, outOfLine: object.outOfLine.map(\.bytes)))
            if isTooMuch { return tooMany }
        }
        let places = events.indices.filter { events[$0].kind == .appeared }
        let appearing = places.map { events[$0] }.sorted { $0.depth < $1.depth }
        for (place, event) in zip(places, appearing) { events[place] = event }
        return events
    }

    /// Notes to which objects references lead elsewhere: those that move or go, with all below them, and
    /// those that have a record for the first time.
    private mutating func displace(_ moved: [UInt32], _ objects: [ObjectRecord]) {
        if !hasReferences { return }
        for number in pass.removals + moved {
            displaced.insert(number)
            for record in archive.records(below: number).objects {
                displaced.insert(record.header.number)
            }
        }
        for object in objects where archive.object(object.header.number) == nil {
            displaced.insert(object.header.number)
        }
    }

    /// The objects of the scene that may refer to what stands elsewhere now, as they are saved.
    private var referring: [ObjectRecord] {
        displaced.isEmpty
            ? []
            : archive.records(below: pass.end.scene).objects.filter {
                !displaced.contains($0.header.number)
            }
    }

    private var isTooMuch: Bool { events.count > Self.mostObjects || byteCount > Self.mostBytes }

    private var tooMany: [ApplicationEvent] { [ApplicationEvent(.manyChanged, scene: scene)] }

    /// Whether an object has another path than in the archive.
    private func isMoved(_ header: ObjectHeader) -> Bool {
        guard header.parent != 0, let saved = archive.object(header.number)?.header else {
            return false
        }
        return saved.parent != header.parent || saved.identifier != header.identifier
    }

    /// Tells of an object that stands elsewhere now, and of all below it that the pass does not remove.
    private mutating func appear(
        below number: UInt32, _ appeared: inout Set<UInt32>, _ recorded: [UInt32: ObjectRecord]
    ) {
        var gone = Set(pass.removals)
        for saved in archive.records(below: number).objects {
            let number = saved.header.number
            // What is removed takes along what stands below it.
            if gone.contains(number)
                || gone.contains(headers[number]?.parent ?? saved.header.parent)
            {
                gone.insert(number)
                continue
            }
            guard appeared.insert(number).inserted else { continue }
            append(recorded[number] ?? saved, nil)
            if isTooMuch { return }
        }
    }

    private mutating func append(_ object: ObjectRecord, _ saved: SavedValues?) {
        let now = SavedValues(object.values, outOfLine: object.outOfLine.map(\.bytes))
        var values: [String: ApplicationEvent.ChangedValue] = [:]
        var byteCount = 0
        var changes = now.differences(from: saved)
        if saved != nil, !displaced.isEmpty { changes += now.values(referringTo: displaced) }
        for (key, value) in changes {
            guard let key = names.text(of: key), key.utf8.first != UInt8(ascii: "@") else {
                continue
            }
            values[key] = value.map(changed) ?? .removed
            byteCount += min(value?.count ?? 0, Self.largestValue)
        }
        if saved != nil, values.isEmpty { return }
        let path = path(of: object.header.number)
        var event = ApplicationEvent(
            saved == nil && !path.isEmpty ? .appeared : .changed, scene: scene,
            path: path.isEmpty ? nil : path, values: values)
        event.byteCount = byteCount
        self.byteCount += byteCount
        events.append(event)
    }

    private func changed(_ bytes: ArraySlice<UInt8>) -> ApplicationEvent.ChangedValue {
        if bytes.count > Self.largestValue { return .large(bytes: bytes.count) }
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

    /// The path that an object has when the pass is written; empty for a scene, and for what has no
    /// record then.
    private func path(of number: UInt32) -> String {
        var identifiers: [String] = []
        var next = number
        while let header = headers[next] ?? archive.object(next)?.header, header.parent != 0,
            identifiers.count < RestorationPath.maximumBytes
        {
            if removed.contains(next) { return "" }
            identifiers.append(header.identifier)
            next = header.parent
        }
        return identifiers.reversed().joined(separator: "/")
    }
}

extension ApplicationEvent {
    /// How far below the scene the object stands.
    fileprivate var depth: Int {
        path.map { path in 1 + path.utf8.count { $0 == UInt8(ascii: "/") } } ?? 0
    }
}
