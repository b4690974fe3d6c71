extension ObjectStore {
    /// The records that make of this store what a pass says, if they can stand.
    func checkedChanges(of pass: PassRecords) throws(MalformedPass) -> [ArchiveEntry] {
        let entries = changes(of: pass)
        if !entries.isEmpty { try check(entries, pass.end) }
        return entries
    }

    /// Makes sure that the store stays a forest of scenes with known names and values after a pass.
    /// The cost follows the pass: what it does not touch is looked at only above what it moves.
    func check(_ pass: [ArchiveEntry], _ end: PassEnd) throws(MalformedPass) {
        var check = PassCheck(store: self)
        for index in pass.indices { try check.take(pass[index].record) }
        try check.finish(end)
    }
}

/// Checks the records of one pass, one after the other, against what there is before it.
private struct PassCheck {
    let store: ObjectStore
    var newNames = NumberTable()
    /// The parents of the objects that the pass records or places.
    var parents = NumberTable()
    /// The objects whose values the pass gives, whole or in part.
    var valued = NumberTable()
    /// The out-of-line values of the objects that the pass records, if they have some or had.
    var named: [UInt32: Set<UInt32>] = [:]
    var given: Set<ObjectStore.ValueName> = []
    /// Objects from which the way up has to be looked at.
    var climbers: [UInt32] = []
    /// The names that the object before refers to, which are known to exist.
    var lastNames = SIMD4<UInt32>()
    var removing = false

    mutating func take(_ record: ArchiveRecord) throws(MalformedPass) {
        switch record {
        case .name(let number, _):
            guard number != 0, number <= ArchiveFormat.highestNumber, !store.hasName(number),
                newNames[number] == nil
            else {
                throw MalformedPass(
                    "the number \(number) is given to a name twice, or is 0 or too high")
            }
            newNames[number] = 1
        case .object(let object):
            let number = object.header.number
            try take(object.header)
            try give(number)
            if !object.outOfLine.isEmpty || store.record(of: number)?.outOfLine.isEmpty == false {
                let keys = Set(object.outOfLine.lazy.map(\.key))
                guard keys.count == object.outOfLine.count, keys.count <= UInt16.max else {
                    throw MalformedPass(
                        "object \(number) names a value twice, or too many of them")
                }
                named[number] = keys
            }
        case .placement(let header):
            let isThere = store.contains(header.number) || parents[header.number] != nil
            guard isThere || header.number == 0 else {
                throw MalformedPass("object \(header.number) is placed and does not exist")
            }
            try take(header)
        case .value(let object, let value):
            try take(value, of: object)
        case .patch(let patch):
            try give(patch.object)
            guard let count = store.valueByteCount(of: patch.object),
                Int(patch.offset) + Int(patch.removed) <= count
            else {
                throw MalformedPass("object \(patch.object) has not the values that are changed")
            }
        case .removal(let number):
            guard number != 0, number <= ArchiveFormat.highestNumber else {
                throw MalformedPass("a removal names no object that can be")
            }
            removing = true
        case .nothing: break
        case .closed, .opened:
            throw MalformedPass("a record stands where it does not belong")
        }
    }

    private mutating func take(_ header: ObjectHeader) throws(MalformedPass) {
        let number = header.number
        if removing { throw MalformedPass("object \(number) comes after a removal") }
        guard number != 0, number <= ArchiveFormat.highestNumber,
            header.identifier.utf8.count <= UInt16.max
        else {
            throw MalformedPass(
                "an object below \(header.parent) has no number or too long an identifier")
        }
        let names = header.names
        if lastNames != names {
            for index in names.indices { try check(names[index], of: number) }
            lastNames = names
        }
        let parent = header.parent
        let isKnown = parent == 0 || parents[parent] != nil || store.contains(parent)
        let before = self.parent(of: number)
        parents[number] = Int64(parent)
        switch before {
        case nil where isKnown: break
        case parent: break
        default: climbers.append(number)
        }
    }

    /// The parent of an object, as the pass leaves it so far.
    private func parent(of number: UInt32) -> UInt32? {
        parents[number].map { UInt32($0) } ?? store.parent(of: number)
    }

    private func check(_ name: UInt32, of object: UInt32) throws(MalformedPass) {
        if name == 0 || store.hasName(name) || newNames[name] != nil { return }
        throw MalformedPass("object \(object) refers to the name \(name), which does not exist")
    }

    /// The values of an object are given once in a pass.
    private mutating func give(_ number: UInt32) throws(MalformedPass) {
        if removing { throw MalformedPass("values of object \(number) come after a removal") }
        guard valued[number] == nil else {
            throw MalformedPass("object \(number) is recorded twice")
        }
        valued[number] = 1
    }

    private mutating func take(_ value: OutOfLineValue, of object: UInt32) throws(MalformedPass) {
        if removing { throw MalformedPass("a value of object \(object) comes after a removal") }
        let isNamed =
            named[object]?.contains(value.key)
            ?? (store.outOfLineValue(value.key, of: object) != nil)
        let name = ObjectStore.ValueName(object: object, key: value.key)
        guard isNamed, given.insert(name).inserted else {
            throw MalformedPass(
                "object \(object) does not have the value \(value.key), or is given it twice")
        }
    }

    func finish(_ end: PassEnd) throws(MalformedPass) {
        for (object, keys) in named {
            for key in keys where store.outOfLineValue(key, of: object) == nil {
                guard given.contains(ObjectStore.ValueName(object: object, key: key)) else {
                    throw MalformedPass("object \(object) lacks its value \(key)")
                }
            }
        }
        try climb()
        if end.scene != 0, let parent = parent(of: end.scene), parent != 0 {
            throw MalformedPass("the pass is of object \(end.scene), which is no scene")
        }
    }

    /// Goes up from each object whose parent came after it, or that has another one than before: in
    /// a circle that the pass closes there is such an object.
    private func climb() throws(MalformedPass) {
        var reachesScene: Set<UInt32> = [0]
        for start in climbers {
            var way: Set<UInt32> = []
            var number = start
            while !reachesScene.contains(number) {
                guard way.insert(number).inserted else {
                    throw MalformedPass("object \(number) stands below itself")
                }
                guard let parent = parent(of: number) else {
                    throw MalformedPass(
                        "an object stands below object \(number), which does not exist")
                }
                number = parent
            }
            reachesScene.formUnion(way)
        }
    }
}
