import LinuxIO

extension ApplicationArchive {
    /// Reads the file and checks every byte of it; what is in memory is forgotten.
    ///
    /// A damaged file is moved to quarantine, and the passes before the damage are saved as the
    /// new archive (L5). A torn end stays where it is until something is saved.
    ///
    /// - Throws: ``LoadError`` if the file is of a newer format or the kernel reports an error;
    ///   then nothing is saved either until a load succeeds.
    package func load() throws(LoadError) -> LoadOutcome {
        do throws(LoadError) {
            let (image, outcome) = try readFile()
            phase = .loaded(image)
            return outcome
        } catch {
            phase = .refused(error)
            throw error
        }
    }

    private func readFile() throws(LoadError) -> (ArchiveImage, LoadOutcome) {
        let bytes: [UInt8]
        do throws(IOError) {
            guard let folder = try folder(), let found = try read(folder) else {
                return (ArchiveImage(), .none)
            }
            bytes = found
        } catch {
            throw .io(error)
        }
        switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
        case .newer(let version):
            throw .newerFormat(path: path, version: version)
        case .whole(let prefix):
            return (ArchiveImage(prefix), .loaded(prefix.contents, torn: nil))
        case .torn(let prefix, let tail):
            let image = ArchiveImage(prefix)
            image.torn = (bytes, tail)
            image.end = nil
            return (image, .loaded(prefix.contents, torn: tail))
        case .damaged(let reason, let offset, let salvaged):
            do throws(IOError) {
                return try quarantine(reason, offset, salvaged)
            } catch {
                throw .io(error)
            }
        }
    }

    /// Reads the file, after finishing what an interrupted salvage has left to do.
    private func read(_ folder: some Folder) throws(IOError) -> [UInt8]? {
        if let bytes = try folder.read(Self.fileName, limit: limit) { return bytes }
        guard let bytes = try folder.read(Self.salvageName, limit: limit) else { return nil }
        try folder.rename(Self.salvageName, to: Self.fileName)
        try folder.synchronize()
        return bytes
    }

    /// Moves the damaged file away and puts what was salvaged in its place.
    ///
    /// What was salvaged is durable under another name before the damaged file is moved, so that
    /// no moment is without one of them.
    private func quarantine(
        _ reason: String, _ offset: Int, _ salvaged: ArchiveReader.Prefix?
    ) throws(IOError) -> (ArchiveImage, LoadOutcome) {
        let folder = try openOrMakeFolder()
        let image = salvaged.map(ArchiveImage.init) ?? ArchiveImage()
        try folder.remove(Self.salvageName)
        if salvaged != nil {
            let whole = image.encodeWhole(
                image.store.wholeRecords(), bundleIdentifier: bundleIdentifier)
            image.end = whole.end
            try folder.writeNew(Self.salvageName, whole.bytes)
            try folder.synchronize()
        }
        let quarantined = try Quarantine(in: folder).take(
            Self.fileName, reason: "The archive is damaged at byte \(offset): \(reason).")
        if salvaged != nil {
            try folder.rename(Self.salvageName, to: Self.fileName)
            try folder.synchronize()
        }
        let damage = Damage(
            reason: reason, offset: offset, quarantinedAs: quarantined,
            salvaged: salvaged?.contents)
        return (image, .damaged(damage))
    }
}
