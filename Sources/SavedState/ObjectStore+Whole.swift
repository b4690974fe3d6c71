extension ObjectStore {
    /// The records of an archive that holds this store and nothing else.
    ///
    /// All names come first, then each scene as a pass of its own, so that damage to one leaves
    /// those before it.
    ///
    /// - Parameter chosen: the scenes that it holds; nil: all.
    func wholeRecords(of chosen: [UInt32]? = nil) -> [ArchiveRecord] {
        var whole: [ArchiveRecord] = []
        whole.reserveCapacity(names.count + records.count + 8)
        for (number, text) in names.sorted(by: { $0.key < $1.key }) {
            whole.append(.name(number: number, text: text))
        }
        let scenes = chosen ?? scenes
        for scene in scenes {
            whole += tree(scene).map(ArchiveRecord.object)
            // A number that was given once is given to no other object.
            if scene == scenes.last, records[highestObjectNumber] == nil {
                whole.append(.removal(number: highestObjectNumber))
            }
            whole.append(.passEnd(passes[scene] ?? PassEnd(scene: 0, timestamp: 0)))
        }
        if scenes.isEmpty { whole.append(.passEnd(PassEnd(scene: 0, timestamp: 0))) }
        return whole
    }

    /// The store as its users see it.
    func contents(closed: Bool, sequence: UInt64) -> ArchiveContents {
        ArchiveContents(
            names: names, objects: scenes.flatMap(tree), passes: passes, closed: closed,
            sequence: sequence, highestObjectNumber: highestObjectNumber,
            highestNameNumber: highestNameNumber)
    }
}
