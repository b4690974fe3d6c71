/// The file that records are appended to, or the two of a compaction.
enum AppendedFiles {
    /// There is one.
    case open(ArchiveFile)
    /// There is one, while another thread copies what counts of it.
    case copying(ArchiveFile, ArchiveCopy)
    /// There are two, while another thread gives the second the name of the first.
    case doubled(ArchiveFile, ArchiveFile, ArchiveExchange)

    /// All of them, the longest first.
    var all: [ArchiveFile] {
        switch self {
        case .open(let file), .copying(let file, _): [file]
        case .doubled(let old, let new, _): [old, new]
        }
    }

    /// The longest one.
    var named: ArchiveFile {
        switch self {
        case .open(let file), .copying(let file, _), .doubled(let file, _, _): file
        }
    }

    /// The highest sequence number of their records.
    var sequence: UInt64 {
        switch self {
        case .open(let file), .copying(let file, _): file.end.sequence
        case .doubled(let old, let new, _): max(old.end.sequence, new.end.sequence)
        }
    }

    /// Appends records by one write. Of two files both take them, or none.
    mutating func append(_ entries: [ArchiveEntry]) throws(ArchiveFile.Failure) {
        switch self {
        case .open(var file):
            try file.append(entries)
            self = .open(file)
        case .copying(var file, let copy):
            try file.append(entries)
            copy.add(entries)
            self = .copying(file, copy)
        case .doubled(let old, var new, let exchange):
            var grown = old
            try grown.append(entries)
            do throws(ArchiveFile.Failure) {
                try new.append(entries)
            } catch {
                try grown.goBack(to: old, because: error)
            }
            self = .doubled(grown, new, exchange)
        }
    }

    /// Records up to these are known to be durable.
    mutating func noteSynced(_ ends: [ArchiveEncoder.ChainEnd]) {
        func note(_ file: inout ArchiveFile) {
            for end in ends where end.fileMark == file.end.fileMark {
                file.noteSynced(upTo: end.sequence)
            }
        }
        switch self {
        case .open(var file):
            note(&file)
            self = .open(file)
        case .copying(var file, let copy):
            note(&file)
            self = .copying(file, copy)
        case .doubled(var old, var new, let exchange):
            note(&old)
            note(&new)
            self = .doubled(old, new, exchange)
        }
    }
}
