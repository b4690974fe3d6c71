import LinuxIO

extension ApplicationArchive {
    /// Takes the saved state away, for a forced quit (L1), and forgets it with all that is pending.
    ///
    /// The file as it was last saved becomes a generation, durably.
    ///
    /// - Returns: the generation's path; `nil` if nothing was saved.
    @discardableResult
    package func remove() throws(SaveError) -> String? {
        let image = try loadedImage()
        let generation: String?
        do throws(IOError) {
            generation = try folder().flatMap { folder throws(IOError) in
                try moveToHistory(folder)
            }
        } catch {
            throw .io(error)
        }
        let empty = ArchiveImage()
        empty.sequence = image.sequence
        phase = .loaded(empty)
        return generation
    }

    private func moveToHistory(_ folder: some Folder) throws(IOError) -> String? {
        try folder.remove(Self.salvageName)
        guard try folder.names().contains(Self.fileName) else { return nil }
        let history = try folder.makeSubfolder(Self.historyName)
        let name = NumberedName.next(after: try history.names(), suffix: ".archive")
        try folder.rename(Self.fileName, to: "\(Self.historyName)/\(name)")
        // The new name first: a power cut between the two may leave both, but never none.
        try history.synchronize()
        try folder.synchronize()
        return "\(history.path)/\(name)"
    }
}
