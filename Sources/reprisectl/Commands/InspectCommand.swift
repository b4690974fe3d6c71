import ArgumentParser

struct InspectCommand: ParsableCommand, OptionIgnoring {
    static let ignoredOptions = FileScope.ignoredOptions
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Tells what an archive holds, also a damaged one; no daemon is asked.",
        discussion: """
            An encrypted one needs its key: without --key that of the credential reprise.key in \
            $CREDENTIALS_DIRECTORY, or reprise.key.previous. Offsets are those of what was encrypted.
            Exit status: 0 the archive is whole, 1 it is damaged, torn, or cannot be read.
            """)

    @OptionGroup var options: FileScope

    @Argument(
        help: "The archive: a data.archive, a generation, or what lies in quarantine.",
        completion: .file())
    var file: String

    @Flag(help: "Tell each record, and of damage all that can be found behind it.")
    var records = false

    @Option(
        help: ArgumentHelp(
            "A file with the key of an encrypted archive; - is standard input.", valueName: "file"),
        completion: .file())
    var key: String?

    func run() throws {
        let archive = try InspectedArchive(path: file, keys: KeyFile.keys(named: key))
        try Pager.page(if: options.isPaged && !options.json) { try print(archive) }
        if let problem = archive.problem { throw Failure(problem, isAnswered: true) }
    }

    private func print(_ archive: InspectedArchive) throws {
        switch (options.json, records) {
        case (false, false): StateText(archive: archive).print()
        case (false, true): RecordText(archive: archive).print()
        case (true, false): try InspectionJSON(archive: archive).print()
        case (true, true): try InspectionJSON(archive: archive).printRecords()
        }
    }
}
