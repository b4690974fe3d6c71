import LinuxIO

// Whether the archive's name stands for the file that this process knows.

extension ApplicationArchive {
    /// Why the file under the archive's name is another program's; nil if it is ours, or there is
    /// none.
    func foreignFile(in folder: any Folder, _ image: ArchiveImage) throws(IOError) -> String? {
        guard let there = try folder.status(of: Layout.archive) else { return nil }
        guard let ours = image.known.last(where: { $0.isSameFile(as: there) }) else {
            return "another file has its name"
        }
        if image.appends || image.isUnchanged(ours, there, closely: true) { return nil }
        return ours.size == there.size
            ? "it was written again" : "it has \(there.size) bytes, and had \(ours.size)"
    }

    /// Moves another program's file to quarantine; returns its new path.
    func quarantineForeignFile(
        _ name: String, in folder: any Folder, because reason: String
    ) throws(IOError) -> String {
        try Quarantine(in: folder).take(name, reason: Self.foreignSentence(reason))
    }

    /// Why another program's file is in quarantine.
    static func foreignSentence(_ reason: String) -> String {
        "Another program changed or replaced the archive: \(reason)."
    }

    /// Why the name does not stand for the file that is appended to; nil if it does.
    func changedName(_ image: ArchiveImage) throws(IOError) -> String? {
        guard image.appends else { return nil }
        if let reason = try archiveNames.displacement() { return reason }
        guard let folder = try folder(), try folder.status(of: Layout.archive) != nil else {
            return "its name is gone"
        }
        return try foreignFile(in: folder, image)
    }

    /// Notes on which devices the folders of a file lie that was read or written.
    func noteDevices(_ image: ArchiveImage) {
        do throws(IOError) {
            image.devices = try archiveNames.devices()
        } catch {
            image.devices = FolderDevices()  // Then none is known to have changed.
            image.incidents.append(.notLookedAt(error))
        }
    }
}
