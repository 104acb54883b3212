# Writes the stop word lists of the Debian package liblingua-stopwords-perl as entries {"language", "word word ..."}, for
# copse/text/stop_words.cpp. COPSE_STOP_WORDS is the folder with EN.pm and the others.
find_path(COPSE_STOP_WORDS EN.pm PATHS /usr/share/perl5/Lingua/StopWords REQUIRED)
set(lists "")
foreach(
  language
  DA:danish NL:dutch EN:english FI:finnish FR:french DE:german HU:hungarian ID:indonesian IT:italian NO:norwegian
  PT:portuguese RO:romanian RU:russian ES:spanish SV:swedish)
  string(REGEX MATCH "(.*):(.*)" _ ${language})
  set(name ${CMAKE_MATCH_2})
  set(list_file ${COPSE_STOP_WORDS}/${CMAKE_MATCH_1}.pm)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_file})
  file(READ ${list_file} text)
  if(NOT text MATCHES "return qw\\(([^)\"\\\\]*)\\)")
    message(FATAL_ERROR "${list_file} holds no list of words")
  endif()
  string(REGEX REPLACE "[ \n]+" " " words "${CMAKE_MATCH_1}")
  string(APPEND lists "{\"${name}\", \"${words}\"},\n")
endforeach()
file(CONFIGURE OUTPUT generated/stop_word_lists.inc CONTENT "${lists}" @ONLY)
