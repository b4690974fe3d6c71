extension ObjectStore {
    /// Whether the store stays a forest of scenes with known names after a pass.
    ///
    /// The cost follows the pass: what it does not touch is looked at only above what it moves.
    func check(
        _ pass: some Sequence<ArchiveRecord>, _ stamp: PassEnd
    ) throws(MalformedPass) {
        var newNames: Set<UInt32> = []
        var parents: [UInt32: UInt32] = [:]
        var usedNames: Set<UInt32> = [0]
        var removing = false
        for record in pass {
            switch record {
            case .name(let number, _):
                guard number != 0, names[number] == nil, newNames.insert(number).inserted else {
                    throw MalformedPass("the number \(number) is given to a name twice, or is 0")
                }
            case .object(let object):
                try check(object.header, afterRemoval: removing)
                parents[object.header.number] = object.header.parent
                usedNames.formUnion(object.header.nameNumbers)
            case .placement(let header):
                try check(header, afterRemoval: removing)
                guard records[header.number] != nil || parents[header.number] != nil else {
                    throw MalformedPass("object \(header.number) is placed and does not exist")
                }
                parents[header.number] = header.parent
                usedNames.formUnion(header.nameNumbers)
            case .removal(let number):
                guard number != 0 else { throw MalformedPass("a removal names no object") }
                removing = true
            case .passEnd, .closed, .opened:
                throw MalformedPass("a record stands where it does not belong")
            }
        }
        for name in usedNames where name != 0 && names[name] == nil && !newNames.contains(name) {
            throw MalformedPass("an object refers to the name \(name), which does not exist")
        }
        try checkParents(parents)
        if stamp.scene != 0, let parent = parents[stamp.scene] ?? parent(of: stamp.scene),
            parent != 0
        {
            throw MalformedPass("the pass is of object \(stamp.scene), which is no scene")
        }
    }

    private func check(
        _ header: ObjectHeader, afterRemoval: Bool
    ) throws(MalformedPass) {
        if afterRemoval { throw MalformedPass("object \(header.number) comes after a removal") }
        guard header.number != 0, header.identifier.utf8.count <= UInt16.max else {
            throw MalformedPass(
                "an object below \(header.parent) has no number or too long an identifier")
        }
    }

    /// Whether every new parent exists and none stands below its own child.
    ///
    /// A circle that the pass closes has a new object in it, or a moved one. One of new objects
    /// alone is found without looking at what was there before, which stands as it did; any other
    /// has a moved object in it, from which the way up comes back to where it was.
    private func checkParents(_ parents: [UInt32: UInt32]) throws(MalformedPass) {
        var new: [UInt32] = []
        var moved: [UInt32] = []
        for (number, parent) in parents {
            if parent != 0, parents[parent] == nil, records[parent] == nil {
                throw MalformedPass(
                    "object \(number) stands below object \(parent), which does not exist")
            }
            switch self.parent(of: number) {
            case nil: new.append(number)
            case parent: break
            default: moved.append(number)
            }
        }
        try climb(from: new, parents) { records[$0] != nil }
        try climb(from: moved, parents) { _ in false }
    }

    /// Goes up from each object until a scene is above, or one that `endsAt` accepts.
    private func climb(
        from starts: [UInt32], _ parents: [UInt32: UInt32], endsAt: (UInt32) -> Bool
    ) throws(MalformedPass) {
        var reachesScene: Set<UInt32> = [0]
        for start in starts {
            var way: Set<UInt32> = []
            var number = start
            while !reachesScene.contains(number), !endsAt(number) {
                guard way.insert(number).inserted else {
                    throw MalformedPass("object \(number) stands below itself")
                }
                number = parents[number] ?? parent(of: number) ?? 0
            }
            reachesScene.formUnion(way)
        }
    }

    private func parent(of number: UInt32) -> UInt32? {
        records[number]?.header.parent
    }
}
