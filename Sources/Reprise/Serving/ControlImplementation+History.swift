import Preservation
import RepriseControl
import Varlink

extension ControlImplementation {
    /// What was saved at earlier times.
    func onHistory(_ interface: inout InterfaceImplementation) throws {
        try on(.history, &interface) { (parameters: ApplicationParameters) in
            let generations = try await applications.find(parameters.application).history()
            return HistoryReply(generations: generations.map(GenerationDescription.init))
        }
        try on(.diff, &interface) { (parameters: DiffParameters) in
            DiffReply(
                try await applications.find(parameters.application)
                    .diff(from: parameters.from, to: parameters.to))
        }
    }
}
