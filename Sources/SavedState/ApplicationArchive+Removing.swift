import LinuxIO

extension ApplicationArchive {
    /// Takes the saved state away, for a forced quit (L1), and forgets it.
    ///
    /// It becomes a generation, durably, with whatever could not be saved yet. If that fails
    /// nothing is taken away.
    ///
    /// - Parameter reason: a clause that tells why.
    /// - Returns: the generation's path; `nil` if nothing was saved.
    @discardableResult
    package func remove(because reason: String) throws(SaveError) -> String? {
        let image = try loadedImage()
        try cancelCompaction(of: image)
        try makeRequiredGeneration(of: image)
        if image.appends, !image.durability.isComplete {
            // If it fails everything is pending, and thus kept from memory.
            do throws(SaveError) { try synchronizeNow(image) } catch {}
        }
        let displacement: String?
        do throws(IOError) {
            if let reason = try changedName(image) { image.notice(reason) }
            displacement = try archiveNames.displacement()
        } catch {
            throw .io(error)
        }
        if let displacement { throw .changedExternally(path: path, reason: displacement) }
        let header = headerOfFile(image)
        let generation: String?
        // A file that is not appended to is not known to be durable.
        let isKept = image.pending || image.isInherited
        let state = isKept ? try wholeBytes(of: image) : []
        do throws(IOError) {
            generation =
                try isKept ? keep(state, of: image, reason) : moveToHistory(of: image, reason)
        } catch {
            // It is not certain what the name holds: only a whole new file can be trusted.
            if image.appends { image.finish(error) }
            throw .io(error)
        }
        clearAway(besides: header, of: image)
        phase = .loaded(ArchiveImage(after: image))
        return generation
    }

    /// A turn that takes a scene out of the archive, with everything below it.
    package func removal(ofScene scene: UInt32) -> TurnRecords {
        var turn = TurnRecords()
        turn.addRemoval(scene)
        turn.endPass(PassEnd(scene: 0, timestamp: 0))
        return turn
    }

    private func headerOfFile(_ image: ArchiveImage) -> ArchiveHeader? {
        do throws(IOError) {
            guard let file = try folder()?.openForAppending(Layout.archive),
                case .header(let header, _, _) = ArchiveHeader.parse(
                    try file.read(upTo: ArchiveFormat.largestHeader))
            else { return nil }
            return header
        } catch {
            image.incidents.append(.notLookedAt(error))
            return nil
        }
    }

    private func moveToHistory(
        of image: ArchiveImage, _ reason: String
    ) throws(IOError) -> String? {
        guard let folder = try folder() else { return nil }
        try folder.remove(Layout.salvaged)
        guard try folder.names().contains(Layout.archive) else { return nil }
        let history = try History(in: folder)
        return try history.take(Layout.archive, because: reason)
    }

    /// The file lacks something that is in memory, or is not trusted: what is in memory is kept.
    private func keep(
        _ state: [UInt8], of image: ArchiveImage, _ reason: String
    ) throws(IOError) -> String {
        let folder = try openOrMakeFolder()
        try quarantineTornCopy(image, in: folder)
        let generation = try History(in: folder).keep(state, because: reason)
        try folder.remove(Layout.salvaged)
        switch image.external {
        case .none: try folder.remove(Layout.archive)
        case .noticed(let reason), .condemned(let reason):
            // It is another program's.
            if try folder.status(of: Layout.archive) != nil {
                _ = try quarantineForeignFile(Layout.archive, in: folder, because: reason)
            }
        }
        try folder.synchronize()
        return generation
    }
}
