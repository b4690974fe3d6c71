package import LinuxIO

/// The archive of one application: the newest state of its scenes, in one file.
///
/// Load it once, then append what each turn changed. It keeps the newest record of every object,
/// so that what could not be saved is pending and part of the next write that succeeds, and a whole
/// new file can always be written. Not Sendable: it belongs to the application's actor, and what may
/// take long is handed out as a ``SyncJob`` or a ``CompactionJob``.
package final class ApplicationArchive {
    /// Whose archive it is.
    package let bundleIdentifier: String
    /// The path of the archive's file, whether it exists or not.
    package let path: String
    /// The most bytes that a file may have.
    let limit: Int
    /// A file of so many bytes or fewer is not compacted.
    let compactionMinimum: Int
    private let stateFolder: any Folder
    var phase = Phase.unloaded
    /// Why a generation is required, if one is; a clause.
    package internal(set) var requiredGenerationReason = ""
    /// The newest generation that was looked at or made, and the digest of what it holds.
    var newestGeneration: (name: GenerationName, digest: UInt64)?
    /// Whether the folders' own entries were made durable by this object.
    ///
    /// That they exist says nothing: whoever made them may have failed to make them durable.
    private var foldersAreDurable = false

    /// Whether it is known what the file holds.
    enum Phase {
        case unloaded
        case loaded(ArchiveImage)
        case refused(LoadError)
    }

    /// The archive of one application below a state directory; nothing is read or made yet.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: whose it is; it has to be fit for a name, see
    ///     ``InvalidBundleIdentifier``.
    ///   - stateFolder: the state directory, which nobody else writes to.
    ///   - limit: the most bytes that a file may have.
    ///   - compactionMinimum: a file of so many bytes or fewer is not compacted.
    package init(
        bundleIdentifier: String, below stateFolder: any Folder,
        limit: Int = ArchiveFormat.largestFile, compactionMinimum: Int = 1 << 20
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.stateFolder = stateFolder
        self.limit = limit
        self.compactionMinimum = compactionMinimum
        path = """
            \(stateFolder.path)/\(Layout.applications)/\
            \(bundleIdentifier)\(Layout.folderSuffix)/\(Layout.archive)
            """
    }

    /// Whether something was appended that could not be saved yet.
    package var hasPending: Bool {
        if case .loaded(let image) = phase { image.pending } else { false }
    }

    /// Whether there is something to write: what is pending, a required generation, or a whole
    /// file in the place of one that the process before did not close.
    package var hasUnwritten: Bool { hasPending || isGenerationRequired || isInherited }

    /// Whether the file was left by a process that did not close it.
    private var isInherited: Bool {
        if case .loaded(let image) = phase { image.isInherited } else { false }
    }

    /// Whether a load succeeded, or failed for good.
    package var isLoaded: Bool {
        if case .unloaded = phase { false } else { true }
    }

    /// The newest state, saved or not; `nil` before a load succeeded.
    package var contents: ArchiveContents? {
        guard case .loaded(let image) = phase else { return nil }
        return image.store.contents(closed: image.closed, sequence: image.sequence)
    }

    /// The application's folder; `nil` if there is none.
    ///
    /// It is opened anew each time, because an operator may have removed or replaced it (L4).
    func folder() throws(IOError) -> (any Folder)? {
        try stateFolder.subfolder(Layout.applications)?.subfolder(folderName)
    }

    /// Whether the folder's name is there and leads nowhere: a symbolic link to a disk that is gone.
    func isLinkToNowhere() throws(IOError) -> Bool {
        guard let applications = try stateFolder.subfolder(Layout.applications) else {
            return try stateFolder.names().contains(Layout.applications)
        }
        return try applications.names().contains(folderName)
    }

    /// The application's folder, made durably if it is missing.
    func openOrMakeFolder() throws(IOError) -> any Folder {
        if foldersAreDurable, let folder = try folder() { return folder }
        foldersAreDurable = false
        let applications = try stateFolder.makeSubfolder(Layout.applications)
        let folder = try applications.makeSubfolder(folderName)
        try archiveNames.synchronize()
        // Left by an interrupted salvage; once there is another archive it must never come back.
        try folder.remove(Layout.salvaged)
        foldersAreDurable = true
        return folder
    }

    /// What is in memory, if a load succeeded.
    func loadedImage() throws(SaveError) -> ArchiveImage {
        switch phase {
        case .unloaded: throw .notLoaded(path: path)
        case .refused(let error): throw .refused(path: path, because: error)
        case .loaded(let image): return image
        }
    }

    /// The names that lead to the file.
    var archiveNames: ArchiveNames {
        ArchiveNames(stateFolder: stateFolder, folderName: folderName)
    }

    private var folderName: String { bundleIdentifier + Layout.folderSuffix }
}
