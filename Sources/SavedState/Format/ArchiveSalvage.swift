import ExactText
package import StateRecords

/// What is left of a damaged archive where no complete pass can be used (L5): every object whose own
/// newest records are intact, below parents that are, with the names that they use.
///
/// A record with a wrong byte says nothing that counts, but which object it was of: if another byte
/// in its beginning makes its checksum right, that is known, else it is what stands there.
package struct ArchiveSalvage: Sendable {
    /// An object that was saved and of which a record is not intact.
    package struct Lost: Sendable, Equatable {
        /// The name of its scene; nil if that is not known.
        package var scene: String?
        /// The identifiers from below the scene down to it; nil if they are not known. None: it is
        /// the scene's own state.
        package var path: [String]?
        /// What is damaged; a clause.
        package var reason: String

        /// What a person calls it.
        package var shown: String {
            guard let path else { return "(an object whose path is not known)" }
            return path.isEmpty
                ? "(the values of the scene itself)" : path.joined(separator: "/")
        }
    }

    /// What cannot be used.
    package struct Account: Sendable, Equatable {
        /// The objects that were saved and are not intact, those above others first.
        package var lost: [Lost] = []
        /// Whether nothing else can have been saved.
        package var isAllKnown = true
    }

    /// What can be used.
    private(set) var prefix: ArchiveReader.Prefix
    /// What cannot.
    package private(set) var account = Account()

    private let records: SalvagedRecords

    /// Looks for what is intact; nil if nothing is, or if the archive is another application's.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: whose archive it has to be; nil: any.
    ///   - namesUsed: the numbers of the names in an object's values; nil: they are none.
    package init?(
        _ bytes: [UInt8], bundleIdentifier: String?, namesUsed: (ObjectRecord) -> [UInt32]?
    ) {
        let start: ArchiveStart
        switch ArchiveHeader.parse(bytes) {
        case .header(let found): start = found
        case .newer: return nil
        case .invalid:
            guard let guess = ArchiveStart(guessing: bytes) else { return nil }
            start = guess
        }
        if let bundleIdentifier, !start.isArchive(of: bundleIdentifier, bytes) { return nil }
        records = SalvagedRecords(bytes, start)
        let end = ArchiveEncoder.ChainEnd(
            sequence: records.sequence, checksum: start.checksum, fileMark: start.header.fileMark)
        prefix = ArchiveReader.Prefix(end: end, byteCount: start.length)
        account.isAllKnown = records.isAllKnown
        guard collect(namesUsed) else { return nil }
    }

    /// What can be used, as users of the archive see it.
    package var contents: ArchiveContents { prefix.contents }

    // MARK: Objects

    /// The most objects that are listed as lost.
    private static let mostListed = 10_000

    /// Puts together what is intact, and lists what is not.
    ///
    /// - Returns: whether anything is.
    private mutating func collect(_ namesUsed: (ObjectRecord) -> [UInt32]?) -> Bool {
        var scenes: [UInt32: [ObjectRecord]] = [:]
        var bareScenes: [UInt32: ObjectRecord] = [:]
        /// The scene of each object, if it is known, and whether it was removed.
        var places: [UInt32: (scene: UInt32?, isRemoved: Bool)] = [:]
        var usable: Set<UInt32> = []
        for number in parentsFirst() {
            let header = records.objects[number]?.header
            let above = header.flatMap { places[$0.parent] }
            let scene = header?.parent == 0 ? number : above?.scene
            let isRemoved = records.removed.contains(number) || above?.isRemoved == true
            places[number] = (scene, isRemoved)
            if isRemoved { continue }
            let intact = intactRecord(of: number, namesUsed)
            if let scene, let intact, scene == number || usable.contains(intact.header.parent) {
                usable.insert(number)
                scenes[scene, default: []].append(intact)
                continue
            }
            if number == scene, let header {
                // Its objects are launched without the application-level values.
                usable.insert(number)
                let bare = ObjectHeader(
                    number: number, parent: 0, kind: header.kind, identifier: header.identifier)
                bareScenes[number] = ObjectRecord(header: bare, values: [])
            }
            guard account.lost.count < Self.mostListed else {
                account.isAllKnown = false
                continue
            }
            account.lost.append(
                Lost(
                    scene: scene.flatMap { records.objects[$0]?.header?.identifier },
                    path: scene.flatMap { path(of: number, below: $0) },
                    reason: intact == nil
                        ? "a record of it, or the name of one of its values, is damaged"
                        : "the record of an object above it is damaged"))
        }
        if scenes.isEmpty { return false }
        for (scene, record) in bareScenes where scenes[scene] != nil {
            scenes[scene]?.insert(record, at: 0)
        }
        return merge(scenes)
    }

    /// The identifiers from below a scene down to an object; nil if not all are known.
    private func path(of number: UInt32, below scene: UInt32) -> [String]? {
        var path: [String] = []
        var next = number
        while next != scene {
            guard let header = records.objects[next]?.header else { return nil }
            path.append(header.identifier)
            next = header.parent
        }
        return path.reversed()
    }

    /// The record of an object, if it and all names that it uses are intact.
    private func intactRecord(
        of number: UInt32, _ namesUsed: (ObjectRecord) -> [UInt32]?
    ) -> ObjectRecord? {
        guard let record = records.objects[number]?.record, let used = namesUsed(record) else {
            return nil
        }
        let header = record.header
        let own = [
            header.classToken, header.restorationClassToken, header.storyboard,
            header.storyboardIdentifier,
        ]
        let isNamed = (own.filter { $0 != 0 } + used).allSatisfy { records.names[$0] != nil }
        return isNamed ? record : nil
    }

    /// The most objects on a way up that is followed: no path has as many identifiers.
    private static let mostDeep = 4096

    /// The objects that do not stand below themselves, each after its parent; those of one depth in
    /// the order in which they were first saved.
    private func parentsFirst() -> [UInt32] {
        var depths: [UInt32: Int] = [:]
        for number in records.order {
            var way: [UInt32] = []
            var next = number
            while depths[next] == nil, way.count <= Self.mostDeep {
                way.append(next)
                guard let header = records.objects[next]?.header, header.parent != 0 else { break }
                next = header.parent
            }
            let top = depths[next] ?? -1
            for (steps, number) in way.reversed().enumerated() {
                let depth = top + 1 + steps
                let isTooDeep = way.count > Self.mostDeep || depth > Self.mostDeep
                depths[number] = isTooDeep ? Self.mostDeep + 1 : depth
            }
        }
        return records.order.enumerated()
            .map { (depth: depths[$0.element] ?? 0, offset: $0.offset, number: $0.element) }
            .filter { $0.depth <= Self.mostDeep }
            .sorted { ($0.depth, $0.offset) < ($1.depth, $1.offset) }.map(\.number)
    }

    /// Gives the store the names and each scene's objects, as a pass of its own.
    ///
    /// - Returns: false if they cannot stand, which leaves nothing.
    private mutating func merge(_ scenes: [UInt32: [ObjectRecord]]) -> Bool {
        var pass = RecordList()
        for (number, text) in records.names.sorted(by: { $0.key < $1.key }) {
            pass.append(.name(number: number, text: text))
        }
        var store = prefix.store
        do throws(MalformedPass) {
            for scene in records.order {
                guard let objects = scenes[scene] else { continue }
                for object in objects {
                    pass.append(.object(object))
                    for value in object.outOfLine {
                        pass.append(.value(object: object.header.number, value))
                    }
                }
                let end = records.passes[scene] ?? PassEnd(scene: scene)
                try store.check(pass, end)
                store.merge(pass, end)
                pass = RecordList()
            }
            // A number that was given is given to no other object.
            let highest = max(records.objects.keys.max() ?? 0, records.removed.max() ?? 0)
            if !store.contains(highest), highest > store.highestObjectNumber {
                pass.append(.removal(number: highest))
            }
            try store.check(pass, PassEnd())
            store.merge(pass, PassEnd())
        } catch {
            return false
        }
        prefix.store = store
        prefix.hasPass = true
        return true
    }
}

extension ArchiveStart {
    /// Whether it begins the archive of an application, whose name the wrong byte may be in.
    fileprivate func isArchive(of bundleIdentifier: String, _ bytes: [UInt8]) -> Bool {
        if header.bundleIdentifier == bundleIdentifier { return true }
        if isIntact { return false }
        var right = header
        right.bundleIdentifier = bundleIdentifier
        let encoded = right.encoded()
        return encoded.count == length && encoded.suffix(8) == bytes[length - 8..<length]
    }
}
