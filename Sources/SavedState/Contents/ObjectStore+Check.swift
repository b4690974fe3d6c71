import ExactText
import StateRecords

extension ObjectStore {
    /// Checks a pass and then applies it.
    ///
    /// - Returns: Records to write to the file. The list is empty if nothing changed.
    /// - Throws: ``MalformedPass`` if the pass is invalid. The store is unchanged in this case.
    mutating func checkAndApply(_ pass: PassRecords) throws(MalformedPass) -> RecordList {
        if let problem = pass.problem { throw MalformedPass(problem) }
        guard pass.objects.buffers.allSatisfy({ $0.count <= RecordSegments.maximumBytes }) else {
            throw MalformedPass("its objects take more than \(RecordSegments.maximumBytes) bytes")
        }
        let changes = changes(of: pass)
        if changes.records.isEmpty { return changes.records }
        try check(changes.records, pass.end)
        merge(changes, pass.end)
        return changes.records
    }

    /// Checks that the objects still form trees rooted at scenes after a pass, and that all names and values to which
    /// the pass refers exist.
    ///
    /// The cost grows with the size of the pass. Objects that are not in the pass are checked only if they are
    /// ancestors of an object that has moved.
    func check(_ pass: RecordList, _ end: PassEnd) throws(MalformedPass) {
        var check = PassCheck()
        for span in pass.spans {
            let problem = pass.withPayload(of: span) { payload -> MalformedPass? in
                do throws(MalformedPass) {
                    try check.check(span.type, payload, of: self)
                    return nil
                } catch {
                    return error
                }
            }
            if let problem { throw problem }
        }
        try check.finish(end, self)
    }
}

/// Check of a pass's records, in order, against the store as it was before the pass.
private struct PassCheck {
    // The store is passed to each function, because copying it would take longer than checking a small pass.
    /// Numbers of the names that the pass adds.
    var newNames = NumberTable()
    /// Parent numbers of all objects that have a record or a new header in the pass, keyed by object number.
    var parentNumbers = NumberTable()
    /// Objects whose values the pass sets, completely or partially.
    var objectsWithValues = NumberTable()
    /// Keys of the out-of-line values of the objects that have a record in the pass, keyed by object number.
    ///
    /// An object is omitted if neither its old nor its new record has such values.
    var outOfLineKeys: [UInt32: Set<UInt32>] = [:]
    /// Out-of-line values that the pass sets.
    var definedValueKeys: Set<ObjectStore.ValueKey> = []
    /// Objects whose ancestors must be checked.
    var objectsToTrace: [UInt32] = []
    /// Numbers of the names to which the previous object refers. These names are known to exist.
    var lastNameNumbers = SIMD4<UInt32>()
    /// Whether the pass has removed an object.
    var hasRemovals = false

    mutating func check(
        _ type: RecordType, _ payload: UnsafeRawBufferPointer,
        of store: ObjectStore
    ) throws(MalformedPass) {
        switch type {
        case .name: try checkName(payload.littleEndian(at: 0), store)
        case .object: try checkObject(ObjectFields(payload), store)
        case .placement:
            let object = ObjectFields(payload)
            let number = object.number
            guard store.contains(number) || parentNumbers[number] != nil || number == 0 else {
                throw MalformedPass("object \(number) has a placement but does not exist")
            }
            _ = try checkHeader(object, store)
        case .value:
            try checkValue(payload.littleEndian(at: 4), of: payload.littleEndian(at: 0), store)
        case .patch:
            let number: UInt32 = payload.littleEndian(at: 0)
            try recordValues(number)
            let offset: UInt32 = payload.littleEndian(at: 4)
            let removedByteCount: UInt32 = payload.littleEndian(at: 8)
            guard let count = store.valueByteCount(of: number),
                Int(offset) + Int(removedByteCount) <= count
            else {
                throw MalformedPass("a change refers to values that object \(number) does not have")
            }
        case .removal:
            let number: UInt32 = payload.littleEndian(at: 0)
            guard number != 0, number <= ArchiveFormat.highestNumber else {
                throw MalformedPass("a removal contains an invalid object number")
            }
            hasRemovals = true
        case .nothing: break
        case .closed, .opened:
            throw MalformedPass("a record of the pass has a type that is not allowed there")
        }
    }

    private mutating func checkName(
        _ number: UInt32, _ store: ObjectStore
    ) throws(MalformedPass) {
        guard number != 0, number <= ArchiveFormat.highestNumber, !store.hasName(number),
            newNames[number] == nil
        else {
            throw MalformedPass(
                "the number \(number) of a name is used twice, or is 0 or too high")
        }
        newNames[number] = 1
    }

    private mutating func checkObject(
        _ object: ObjectFields, _ store: ObjectStore
    ) throws(MalformedPass) {
        let number = object.number
        let previousParent = try checkHeader(object, store)
        try recordValues(number)
        let oldKeyCount = previousParent == nil ? 0 : store.withFields(of: number, \.keyCount) ?? 0
        if object.keyCount > 0 || oldKeyCount > 0 {
            let keys = Set(object.keys)
            guard keys.count == object.keyCount else {
                throw MalformedPass("object \(number) has two values with the same name")
            }
            outOfLineKeys[number] = keys
        }
    }

    /// Checks an object's header.
    ///
    /// - Returns: The object's previous parent, or `nil` if the object is new.
    private mutating func checkHeader(
        _ object: ObjectFields, _ store: ObjectStore
    ) throws(MalformedPass) -> UInt32? {
        let number = object.number
        if hasRemovals { throw MalformedPass("object \(number) comes after a removal") }
        guard number != 0, number <= ArchiveFormat.highestNumber else {
            throw MalformedPass("an object below object \(object.parent) has no valid number")
        }
        let names = object.names
        if lastNameNumbers != names {
            for index in names.indices { try checkNameReference(names[index], of: number, store) }
            lastNameNumbers = names
        }
        let parent = object.parent
        guard parent <= ArchiveFormat.highestNumber else {
            throw MalformedPass("an object is below object \(parent), which does not exist")
        }
        let isParentKnown = parent == 0 || parentNumbers[parent] != nil || store.contains(parent)
        let previousParent = self.parent(of: number, store)
        parentNumbers[number] = parent
        switch previousParent {
        case nil where isParentKnown: break
        case parent: break
        default: objectsToTrace.append(number)
        }
        return previousParent
    }

    /// Returns an object's parent at this point in the pass, or `nil` if the object does not exist yet.
    private func parent(of number: UInt32, _ store: ObjectStore) -> UInt32? {
        parentNumbers[number] ?? store.parent(of: number)
    }

    private func checkNameReference(
        _ nameNumber: UInt32, of object: UInt32, _ store: ObjectStore
    ) throws(MalformedPass) {
        if nameNumber == 0 || store.hasName(nameNumber) || newNames[nameNumber] != nil { return }
        throw MalformedPass(
            "object \(object) refers to the name \(nameNumber), which does not exist")
    }

    /// Records that the pass sets an object's values, and checks that it does so only once.
    private mutating func recordValues(_ number: UInt32) throws(MalformedPass) {
        if hasRemovals { throw MalformedPass("values of object \(number) come after a removal") }
        guard objectsWithValues[number] == nil else {
            throw MalformedPass("object \(number) is recorded twice")
        }
        objectsWithValues[number] = 1
    }

    private mutating func checkValue(
        _ key: UInt32, of object: UInt32, _ store: ObjectStore
    ) throws(MalformedPass) {
        if hasRemovals { throw MalformedPass("a value of object \(object) comes after a removal") }
        let isExpected =
            outOfLineKeys[object]?.contains(key) ?? store.hasOutOfLineValue(key, of: object)
        let valueKey = ObjectStore.ValueKey(object: object, key: key)
        guard isExpected, definedValueKeys.insert(valueKey).inserted else {
            throw MalformedPass(
                "object \(object) does not have the value \(key), or the value is set twice")
        }
    }

    func finish(_ end: PassEnd, _ store: ObjectStore) throws(MalformedPass) {
        for (object, keys) in outOfLineKeys {
            for key in keys where !store.hasOutOfLineValue(key, of: object) {
                guard definedValueKeys.contains(ObjectStore.ValueKey(object: object, key: key))
                else {
                    throw MalformedPass("the value \(key) of object \(object) is missing")
                }
            }
        }
        try checkAncestors(store)
        if let parent = parent(of: end.scene, store), parent != 0 {
            throw MalformedPass("the pass belongs to object \(end.scene), which is not a scene")
        }
    }

    /// Checks the ancestors of objects that have moved or that precede their parents in the pass.
    ///
    /// Any cycle that the pass creates contains such an object.
    private func checkAncestors(_ store: ObjectStore) throws(MalformedPass) {
        if objectsToTrace.isEmpty { return }
        var numbersBelowScenes: Set<UInt32> = [0]
        for start in objectsToTrace {
            var visitedNumbers: Set<UInt32> = []
            var number = start
            while !numbersBelowScenes.contains(number) {
                guard visitedNumbers.insert(number).inserted else {
                    throw MalformedPass("object \(number) is below itself in the tree")
                }
                guard let parent = parent(of: number, store) else {
                    throw MalformedPass(
                        "an object is below object \(number), which does not exist")
                }
                number = parent
            }
            numbersBelowScenes.formUnion(visitedNumbers)
        }
    }
}
/// Reason why a pass was rejected. The text identifies the affected object if possible.
struct MalformedPass: Error, Equatable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}
