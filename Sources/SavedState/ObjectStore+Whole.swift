extension ObjectStore {
    /// The records of an archive that holds this store and nothing else.
    ///
    /// All names come first, then each scene as a pass of its own, so that damage to one leaves
    /// those before it.
    ///
    /// - Parameter chosen: the scenes that it holds; nil: all.
    func wholeEntries(of chosen: [UInt32]? = nil) -> [ArchiveEntry] {
        var whole: [ArchiveEntry] = []
        whole.reserveCapacity(numberedNames.count + count + 8)
        for (number, text) in numberedNames.sorted(by: { $0.number < $1.number }) {
            whole.append(ArchiveEntry(.name(number: number, text: text)))
        }
        let scenes = chosen ?? scenes
        for scene in scenes {
            for object in tree(scene) {
                whole.append(ArchiveEntry(object.withoutOutOfLineValues))
                for value in object.outOfLine {
                    whole.append(ArchiveEntry(.value(object: object.header.number, value)))
                }
            }
            if scene == scenes.last { addHighestNumber(to: &whole) }
            whole[whole.count - 1].end = passes[scene] ?? PassEnd(scene: 0, timestamp: 0)
        }
        if scenes.isEmpty {
            addHighestNumber(to: &whole)
            whole.append(ArchiveEntry(.nothing, end: PassEnd(scene: 0, timestamp: 0)))
        }
        return whole
    }

    /// A number that was given once is given to no other object: removing it says so.
    private func addHighestNumber(to whole: inout [ArchiveEntry]) {
        if highestObjectNumber == 0 || contains(highestObjectNumber) { return }
        whole.append(ArchiveEntry(.removal(number: highestObjectNumber)))
    }

    /// The store as its users see it.
    func contents(closed: Bool, sequence: UInt64) -> ArchiveContents {
        ArchiveContents(
            names: names, objects: scenes.flatMap(tree), passes: passes, closed: closed,
            sequence: sequence, highestObjectNumber: highestObjectNumber,
            highestNameNumber: highestNameNumber)
    }
}
