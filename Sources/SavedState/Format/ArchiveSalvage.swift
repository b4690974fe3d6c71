import ExactText
package import StateRecords

/// Intact objects in a damaged archive that contains no usable complete pass (L5).
///
/// An object can be used if its newest records, all its ancestors, and the names that it uses are intact.
///
/// The contents of a damaged record are not used, but they may show which object the record affected. If changing one
/// byte near the start of the record makes the checksum correct, the object is known for certain. Otherwise, the object
/// number in the damaged record is assumed to be correct.
package struct ArchiveSalvage: Sendable {
    /// Saved object that cannot be used.
    package struct LostObject: Sendable, Equatable {
        /// Name of the object's scene, or `nil` if the scene is unknown.
        package var scene: String?
        /// Restoration path of the object below its scene, or `nil` if the path is unknown.
        ///
        /// The path is empty for the scene's own state.
        package var path: [String]?
        /// Phrase that describes the damage.
        package var reason: String

        /// Name of the object for display.
        package var displayName: String {
            guard let path else { return "(an object whose path is not known)" }
            return path.isEmpty
                ? "(the values of the scene itself)" : path.joined(separator: "/")
        }
    }

    /// Report about objects that cannot be used.
    package struct DamageReport: Sendable, Equatable {
        /// Saved objects that cannot be used. Parents precede their children.
        package var lostObjects: [LostObject] = []
        /// Whether ``lostObjects`` is known to be complete.
        package var isComplete = true
    }

    /// State that consists of the intact objects.
    private(set) var prefix: ArchiveReader.Prefix
    /// Report about objects that cannot be used.
    package private(set) var damage = DamageReport()

    private let records: SalvagedRecords

    /// Searches an archive for intact objects.
    ///
    /// Returns `nil` if there are no intact objects, or if the archive belongs to another application.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: Bundle identifier of the application, or `nil` to accept any application.
    ///   - referencedNameNumbers: Closure that returns the numbers of the names in an object's values, or `nil` if the values
    ///     are invalid.
    package init?(
        _ bytes: [UInt8], bundleIdentifier: String?,
        referencedNameNumbers: (ObjectRecord) -> [UInt32]?
    ) {
        let start: ArchiveStart
        switch ArchiveHeader.parse(bytes) {
        case .header(let headerStart): start = headerStart
        case .newer: return nil
        case .invalid:
            guard let reconstructedStart = ArchiveStart(reconstructing: bytes) else { return nil }
            start = reconstructedStart
        }
        if let bundleIdentifier, !start.isArchive(of: bundleIdentifier, bytes) { return nil }
        records = SalvagedRecords(bytes, start)
        let end = EncodedRecords.ChainEnd(
            sequence: records.sequence, checksum: start.checksum, fileMark: start.header.fileMark)
        prefix = ArchiveReader.Prefix(end: end, byteCount: start.headerByteCount)
        damage.isComplete = records.isComplete
        guard collect(referencedNameNumbers) else { return nil }
    }

    /// The intact objects as the contents of an archive.
    package var contents: ArchiveContents { prefix.contents }

    // MARK: Objects

    /// Maximum number of objects in the report.
    private static let maximumListedObjects = 10_000

    /// Collects the intact objects, and lists the other objects in the report.
    ///
    /// - Returns: Whether there are intact objects.
    private mutating func collect(_ referencedNameNumbers: (ObjectRecord) -> [UInt32]?) -> Bool {
        var scenes: [UInt32: [ObjectRecord]] = [:]
        var bareScenes: [UInt32: ObjectRecord] = [:]
        /// Scene of each object, or `nil` if the scene is unknown, and whether the object has been removed.
        var locations: [UInt32: (scene: UInt32?, isRemoved: Bool)] = [:]
        var usableObjects: Set<UInt32> = []
        let numbers = numbersInParentFirstOrder()
        if numbers.count < records.objectOrder.count { damage.isComplete = false }
        for number in numbers {
            let header = records.objects[number]?.header
            let parentLocation = header.flatMap { locations[$0.parent] }
            let scene = header?.parent == 0 ? number : parentLocation?.scene
            let isRemoved =
                records.removedNumbers.contains(number) || parentLocation?.isRemoved == true
            locations[number] = (scene, isRemoved)
            if isRemoved { continue }
            let intactObject = intactRecord(of: number, referencedNameNumbers)
            if let scene, let intactObject,
                scene == number || usableObjects.contains(intactObject.header.parent)
            {
                usableObjects.insert(number)
                scenes[scene, default: []].append(intactObject)
                continue
            }
            if number == scene, let header {
                // The scene's objects are restored without the values of the scene itself.
                usableObjects.insert(number)
                let bareHeader = ObjectHeader(
                    number: number, parent: 0, kind: header.kind, identifier: header.identifier)
                bareScenes[number] = ObjectRecord(header: bareHeader, values: [])
            }
            guard damage.lostObjects.count < Self.maximumListedObjects else {
                damage.isComplete = false
                continue
            }
            damage.lostObjects.append(
                LostObject(
                    scene: scene.flatMap { records.objects[$0]?.header?.identifier },
                    path: scene.flatMap { path(of: number, below: $0) },
                    reason: intactObject == nil
                        ? "its record, or the name of one of its values, is damaged"
                        : "the record of an object above it is damaged"))
        }
        if scenes.isEmpty { return false }
        for (scene, record) in bareScenes where scenes[scene] != nil {
            scenes[scene]?.insert(record, at: 0)
        }
        return merge(scenes)
    }

    /// Returns an object's path below its scene, or `nil` if an identifier in the path is unknown.
    private func path(of number: UInt32, below scene: UInt32) -> [String]? {
        var path: [String] = []
        var ancestorNumber = number
        while ancestorNumber != scene {
            guard let header = records.objects[ancestorNumber]?.header else { return nil }
            path.append(header.identifier)
            ancestorNumber = header.parent
        }
        return path.reversed()
    }

    /// Returns an object's record, or `nil` if the record or a name that it uses is damaged.
    private func intactRecord(
        of number: UInt32, _ referencedNameNumbers: (ObjectRecord) -> [UInt32]?
    ) -> ObjectRecord? {
        guard let record = records.objects[number]?.record,
            let usedNameNumbers = referencedNameNumbers(record)
        else {
            return nil
        }
        let header = record.header
        let headerNameNumbers = [
            header.classToken, header.restorationClassToken, header.storyboard,
            header.storyboardIdentifier,
        ]
        let hasAllNames = (headerNameNumbers.filter { $0 != 0 } + usedNameNumbers).allSatisfy {
            records.names[$0] != nil
        }
        return hasAllNames ? record : nil
    }

    /// Maximum depth of an object. It is higher than the depth of any valid path.
    private static let maximumDepth = 4096

    /// Returns the numbers of all objects, parents first.
    ///
    /// Objects in a cycle, objects that are nested too deeply, and their descendants are excluded.
    ///
    /// Objects at the same depth are in the order in which they were first saved.
    private func numbersInParentFirstOrder() -> [UInt32] {
        var depths: [UInt32: Int] = [:]
        for number in records.objectOrder {
            var ancestors: [UInt32] = []
            var ancestorNumber = number
            var depth = -1
            while true {
                if let knownDepth = depths[ancestorNumber] {
                    depth = knownDepth
                    break
                }
                // An object in a cycle is found again at this depth, which is too deep.
                depths[ancestorNumber] = Self.maximumDepth + 1
                ancestors.append(ancestorNumber)
                guard let header = records.objects[ancestorNumber]?.header, header.parent != 0
                else { break }
                ancestorNumber = header.parent
            }
            for number in ancestors.reversed() {
                depth = min(depth + 1, Self.maximumDepth + 1)
                depths[number] = depth
            }
        }
        return records.objectOrder.enumerated()
            .map { (depth: depths[$0.element] ?? 0, offset: $0.offset, number: $0.element) }
            .filter { $0.depth <= Self.maximumDepth }
            .sorted { ($0.depth, $0.offset) < ($1.depth, $1.offset) }.map(\.number)
    }

    /// Adds the names and the intact objects to the store, with each scene in a separate pass.
    ///
    /// - Returns: Whether the objects are valid. If they are not, the store is unchanged.
    private mutating func merge(_ scenes: [UInt32: [ObjectRecord]]) -> Bool {
        var pass = RecordList()
        for (number, text) in records.names.sorted(by: { $0.key < $1.key }) {
            pass.append(.name(number: number, text: text))
        }
        var store = prefix.store
        do throws(MalformedPass) {
            for scene in records.objectOrder {
                guard let objects = scenes[scene] else { continue }
                for object in objects {
                    pass.append(.object(object))
                    for value in object.outOfLine {
                        pass.append(.value(object: object.header.number, value))
                    }
                }
                let end = records.passEnds[scene] ?? PassEnd(scene: scene)
                try store.check(pass, end)
                store.merge(pass, end)
                pass = RecordList()
            }
            let highestNumber = records.highestNumber
            if highestNumber > store.highestObjectNumber {
                pass.append(.removal(number: highestNumber))
            }
            try store.check(pass, PassEnd())
            store.merge(pass, PassEnd())
        } catch {
            return false
        }
        prefix.store = store
        prefix.hasCompletePass = true
        return true
    }
}

extension ArchiveStart {
    /// Returns whether the header belongs to an application's archive, even if the stored bundle identifier is damaged.
    fileprivate func isArchive(of bundleIdentifier: String, _ bytes: [UInt8]) -> Bool {
        if header.bundleIdentifier == bundleIdentifier { return true }
        if isIntact { return false }
        var correctedHeader = header
        correctedHeader.bundleIdentifier = bundleIdentifier
        let encoded = correctedHeader.encoded()
        return encoded.count == headerByteCount
            && encoded.suffix(8) == bytes[headerByteCount - 8..<headerByteCount]
    }
}
