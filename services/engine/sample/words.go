package sample

const supportAgent = "Support Agent"

// The words that names are made of. A change here changes every row, and the hash that the
// test knows.
var (
	// genres in the order of their ids, with their share of the albums in thousandths.
	genres = []weighted{
		{"Rock", 350},
		{"Latin", 150},
		{"Metal", 105},
		{"Alternative", 95},
		{"Jazz", 45},
		{"Blues", 40},
		{"Classical", 35},
		{"Pop", 32},
		{"Soul", 25},
		{"Reggae", 20},
		{"Folk", 18},
		{"Electronic", 15},
		{"Hip Hop", 12},
		{"Soundtrack", 11},
		{"Funk", 9},
		{"Country", 7},
		{"World", 6},
		{"Ambient", 5},
		{"Bossa Nova", 4},
		{"Ska", 4},
		{"Opera", 3},
		{"Gospel", 3},
		{"Chanson", 2},
		{"Spoken Word", 2},
		{"Comedy", 2},
	}

	mediaTypes = []weighted{
		{"MPEG audio file", 800},
		{"AAC audio file", 120},
		{"FLAC audio file", 50},
		{"Ogg Vorbis audio file", 20},
		{"Vinyl rip", 10},
	}

	adjectives = []string{
		"Silent", "Golden", "Broken", "Electric", "Velvet", "Distant", "Crimson", "Hollow",
		"Burning", "Paper", "Midnight", "Restless", "Gentle", "Frozen", "Wandering", "Secret",
		"Hidden", "Bitter", "Lonely", "Painted", "Borrowed", "Faded", "Wild", "Northern",
		"Second", "Last", "Quiet", "Naïve", "Iron", "Amber", "Rusty", "Endless",
	}

	nouns = []string{
		"River", "Garden", "Engine", "Harbour", "Mirror", "Orchard", "Signal", "Lantern",
		"Compass", "Avenue", "Winter", "Horizon", "Carousel", "Café", "Window", "Thunder",
		"Letter", "Ocean", "Shadow", "Balloon", "Parade", "Fever", "Station", "Feather",
		"Mountain", "Satellite", "Tide", "Echo", "Piano", "Ember", "Sparrow", "Monument",
		"Postcard", "Machine", "Kingdom", "Umbrella", "Ballad", "Señorita", "Meridian", "Storm",
	}

	openings = []string{
		"Waiting for the", "Song of the", "Beyond the", "Under the", "Letters to the",
		"Dancing with the", "Back to the", "Dreaming of the", "Road to the", "Goodbye to the",
	}

	firstNames = []string{
		"Ada", "Bruno", "Chiara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ingrid", "João",
		"Kaito", "Leila", "Mateus", "Nadia", "Oskar", "Priya", "Quentin", "Rosa", "Søren", "Tara",
		"Umberto", "Vera", "Wanda", "Xavier", "Yara", "Zoë",
	}

	lastNames = []string{
		"Almeida", "Bergström", "Castillo", "Dubois", "Eriksen", "Fischer", "García", "Hoffmann",
		"Ito", "Jensen", "Kowalski", "Lindqvist", "Moreau", "Novák", "O'Brien", "Petrov",
		"Quiroga", "Rossi", "Schmidt", "Tanaka", "Ueda", "Vasquez", "Weber", "Ximenes",
		"Yılmaz", "Zhang",
	}

	places = []place{
		{"Lisbon", "Portugal"},
		{"Porto", "Portugal"},
		{"Prague", "Czechia"},
		{"Brno", "Czechia"},
		{"Oslo", "Norway"},
		{"Bergen", "Norway"},
		{"Lyon", "France"},
		{"Paris", "France"},
		{"São Paulo", "Brazil"},
		{"Recife", "Brazil"},
		{"Toronto", "Canada"},
		{"Montréal", "Canada"},
		{"Berlin", "Germany"},
		{"Köln", "Germany"},
		{"Kyoto", "Japan"},
		{"Osaka", "Japan"},
		{"Austin", "USA"},
		{"Seattle", "USA"},
		{"Boston", "USA"},
		{"Chicago", "USA"},
		{"Dublin", "Ireland"},
		{"Pune", "India"},
		{"Delhi", "India"},
		{"Santiago", "Chile"},
	}

	streets = []string{
		"Station Road", "Mill Lane", "Rua das Flores", "Hauptstraße", "Rue Victor", "Elm Street",
		"Kongens gate", "Avenida Central", "High Street", "Park Avenue",
	}

	companies = []string{"Blue Note Trading", "Helix Radio", "Polar Studio", "Café Lumière", "Vinyl & Co."}

	listNames = []string{
		"Everything", "Favourites", "On the road", "Sunday morning", "Late night", "Workout",
		"Dinner", "Focus", "Party", "Rainy day", "Classics", "New in", "Summer", "Winter",
		"Slow", "Loud", "Instrumental", "Gems",
	}

	titles = []string{
		"General Manager", "Sales Manager", supportAgent, supportAgent, supportAgent,
		"IT Manager", "IT Staff", "Buyer",
	}
)

type weighted struct {
	name   string
	weight int
}

type place struct{ city, country string }
