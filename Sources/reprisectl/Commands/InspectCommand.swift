import ArgumentParser

struct InspectCommand: ParsableCommand, OptionIgnoring {
    static let ignoredOptions = FileScope.ignoredOptions
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows the contents of an archive, even if it is damaged. Needs no daemon.",
        discussion: """
            To read an encrypted archive, the command needs its key. Without --key, the key is the \
            credential reprise.key or reprise.key.previous in $CREDENTIALS_DIRECTORY. Offsets \
            refer to the decrypted bytes.
            Exit status: 0 if the archive is whole, 1 if it is damaged, torn or unreadable.
            """)

    @OptionGroup var options: FileScope

    @Argument(
        help: "The archive: a data.archive, a generation, or a file in quarantine.",
        completion: .file())
    var file: String

    @Flag(help: "Show each record, including records after damage.")
    var records = false

    @Option(
        help: ArgumentHelp(
            "The file with the key of an encrypted archive; - reads standard input.",
            valueName: "file"),
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
