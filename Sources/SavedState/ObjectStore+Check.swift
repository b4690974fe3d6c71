extension ObjectStore {
    /// Whether the store stays a forest of scenes with known names after a pass.
    ///
    /// The cost follows the pass, not the store, unless the pass moves objects to other parents.
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
                let header = object.header
                guard !removing else {
                    throw MalformedPass("object \(header.number) comes after a removal")
                }
                guard header.number != 0, header.identifier.utf8.count <= UInt16.max else {
                    throw MalformedPass(
                        "an object below \(header.parent) has no number or too long an identifier")
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

    /// Whether every new parent exists and none stands below its own child.
    private func checkParents(_ parents: [UInt32: UInt32]) throws(MalformedPass) {
        var moves = false
        for (number, parent) in parents {
            if parent != 0, parents[parent] == nil, records[parent] == nil {
                throw MalformedPass(
                    "object \(number) stands below object \(parent), which does not exist")
            }
            if let before = self.parent(of: number), before != parent { moves = true }
        }
        var reachesScene: Set<UInt32> = [0]
        for start in parents.keys {
            var way: Set<UInt32> = []
            var number = start
            while !reachesScene.contains(number) {
                // Without moves, what was in the store before still stands as it did.
                if !moves, records[number] != nil { break }
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
