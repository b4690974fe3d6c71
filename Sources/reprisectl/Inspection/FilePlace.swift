/// Where an archive lies, going by its path.
struct FilePlace {
    /// The folder's path.
    let folder: String
    /// The file's name in it.
    let name: String

    init(_ path: String) {
        guard let slash = path.lastIndex(of: "/") else {
            (folder, name) = (".", path)
            return
        }
        folder = slash == path.startIndex ? "/" : String(path[..<slash])
        name = String(path[path.index(after: slash)...])
    }

    enum Kind {
        /// The archive of an application.
        case archive
        /// One that was put into quarantine.
        case quarantined
        /// Anything else: a generation, a copy.
        case other
    }

    var kind: Kind {
        if name == "data.archive" { return .archive }
        return folder == "quarantine" || folder.hasSuffix("/quarantine") ? .quarantined : .other
    }
}
