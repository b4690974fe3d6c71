import ArgumentParser

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Tells what an archive holds, also a damaged one; no daemon is asked.",
        discussion: """
            It takes --json, which prints JSON, and --no-pager.
            Exit status: 0 the archive is whole, 1 it is damaged, torn, or cannot be read.
            """)

    @OptionGroup var options: FileScope

    @Argument(
        help: "The archive: a data.archive, a generation, or what lies in quarantine.",
        completion: .file())
    var file: String

    @Flag(help: "Tell each record, and of damage all that can be found behind it.")
    var records = false

    func run() throws {
        let archive = try InspectedArchive(path: file)
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
