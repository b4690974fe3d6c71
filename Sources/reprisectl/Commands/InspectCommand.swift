import ArgumentParser

struct InspectCommand: ParsableCommand, OptionIgnoring {
    static let ignoredOptions = FileCommandOptions.ignoredOptions
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract:
            "Shows the contents of an archive without a daemon, even if the archive is damaged.",
        discussion: """
            To read an encrypted archive, the command needs the key. Without --key, the command \
            uses the credential reprise.key or reprise.key.previous in $CREDENTIALS_DIRECTORY. \
            Offsets refer to the decrypted data.
            Exit status: 0 if the archive is intact, 1 if it is damaged, torn or unreadable.
            """)

    @OptionGroup var options: FileCommandOptions

    @Argument(
        help: "The archive: a data.archive file, a generation, or a file in quarantine.",
        completion: .file())
    var file: String

    @Flag(help: "Show every record, including records after a damaged part of the file.")
    var records = false

    @OptionGroup var key: KeyOption

    func run() throws {
        let archive = try InspectedArchive(path: file, keys: key.readKeys())
        try Pager.page(if: options.daemon.allowsPager && !options.daemon.json) {
            switch (options.daemon.json, records) {
            case (false, false): InspectionText(archive: archive).print()
            case (false, true): InspectionRecordText(archive: archive).print()
            case (true, false): try InspectionJSON(archive: archive).print()
            case (true, true): try InspectionJSON(archive: archive).printRecords()
            }
        }
        if let problem = archive.problem { throw Failure(problem, hasPrintedReply: true) }
    }
}
