import LinuxIO

extension ApplicationArchive {
    /// Saves what a turn changed, and whatever could not be saved before.
    ///
    /// A turn without records writes nothing (P16), unless something is pending; so an empty one
    /// tries again. After an error from the kernel what was saved before is untouched, the turn is
    /// pending, and the next write holds it. A malformed pass, and those behind it in the turn,
    /// are not taken; those before it are pending.
    ///
    /// A generation that is owed is made first.
    ///
    /// - Returns: how safe everything that was appended so far now is.
    package func append(_ turn: TurnRecords) throws(SaveError) -> SaveLevel {
        try hold(turn)
        let image = try loadedImage()
        try payOwedGeneration(of: image)
        if image.pending { try write(image, closed: false) }
        return .durable
    }

    /// Takes in what a turn changed, without writing it: it is pending, and part of the next
    /// append.
    package func hold(_ turn: TurnRecords) throws(SaveError) {
        let image = try loadedImage()
        do throws(MalformedPass) {
            try image.take(turn)
        } catch {
            throw .malformed(path: path, reason: error.reason)
        }
    }

    /// Notes that the application runs, so that after a kill the archive does not end in `closed`.
    ///
    /// One short write without a sync, and only where the file ends in `closed`. If it fails, the
    /// next append makes up for it.
    package func markOpened() throws(SaveError) {
        let image = try loadedImage()
        guard image.closed, let end = image.end else { return }
        var encoder = ArchiveEncoder(continuing: end)
        encoder.append(.opened)
        do throws(IOError) {
            guard let file = try folder()?.openForAppending(Self.fileName) else { return }
            try file.write(encoder.bytes)
        } catch {
            // A part of the record may be there: only a whole new file can be trusted.
            image.end = nil
            image.pending = true
            throw .io(error)
        }
        image.end = encoder.end
        image.sequence = encoder.end.sequence
        image.closed = false
    }

    /// Saves what is pending and ends the archive with `closed`, durably: an orderly stop.
    ///
    /// Without anything ever saved there is no archive to close, and none is made.
    package func close() throws(SaveError) {
        let image = try loadedImage()
        try payOwedGeneration(of: image)
        guard image.pending || (image.hasFile && !image.closed) else { return }
        try write(image, closed: true)
    }

    private func write(_ image: ArchiveImage, closed: Bool) throws(SaveError) {
        image.pending = true
        let records = image.store.wholeRecords() + (closed ? [.closed] : [])
        let byteCount = records.reduce(ArchiveFormat.largestHeader) { $0 + $1.mostBytes }
        guard byteCount <= limit else {
            throw .tooLarge(path: path, byteCount: byteCount, limit: limit)
        }
        let whole = image.encodeWhole(records, bundleIdentifier: bundleIdentifier)
        do throws(IOError) {
            let folder = try openOrMakeFolder()
            try keepTorn(image, in: folder)
            // Unless all succeeds, it is not certain which of the two files the name holds.
            image.end = nil
            try folder.replace(
                Self.fileName, with: whole.bytes, temporary: Self.temporaryName)
        } catch {
            throw .io(error)
        }
        image.end = whole.end
        image.closed = closed
        image.pending = false
    }

    /// Copies a file with a torn end to quarantine, because it is about to go.
    func keepTorn(_ image: ArchiveImage, in folder: any Folder) throws(IOError) {
        guard let torn = image.torn else { return }
        try Quarantine(in: folder).keep(
            torn.bytes, of: Self.fileName,
            reason: """
                torn tail: the last \(torn.tail.byteCount) bytes, from byte \
                \(torn.tail.offset) on, were cut off: \(torn.tail.reason).
                """)
        image.torn = nil
    }
}
